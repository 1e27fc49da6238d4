package org.restheart.openapi;

import static org.restheart.openapi.Json.object;
import static org.restheart.openapi.Json.schema;
import static org.restheart.openapi.Json.type;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.restheart.bson.JsonMode;

/// The component schemas of one document, in one JSON mode: those of [FixedSchemas] that are referenced, and added
/// ones. Confined to one document.
final class Components {
    private static final Map<BsonType, String> NAMES = names();

    private final JsonMode mode;
    private final Map<String, BsonDocument> fixed;
    private final Map<String, BsonDocument> schemas = new TreeMap<>();

    Components(JsonMode mode) {
        this.mode = mode;
        this.fixed = FixedSchemas.in(mode);
    }

    JsonMode mode() {
        return mode;
    }

    Map<String, BsonDocument> schemas() {
        return schemas;
    }

    void put(String name, BsonDocument schema) {
        schemas.put(name, schema);
    }

    boolean has(String name) {
        return schemas.containsKey(name);
    }

    boolean hasPlainNumbers() {
        return mode != JsonMode.EXTENDED;
    }

    /// A reference to one of [FixedSchemas], which is added.
    BsonDocument fixed(String name) {
        schemas.computeIfAbsent(name, missing -> Objects.requireNonNull(fixed.get(missing), missing));
        return schema(name);
    }

    /// The schema of values of a type, but for objects, arrays and null.
    BsonDocument of(BsonType type) {
        return switch (type) {
            case STRING -> type("string");
            case BOOLEAN -> type("boolean");
            case INT32 -> hasPlainNumbers() ? object("type", "integer", "format", "int32") : fixed("Int");
            case INT64 ->
                mode == JsonMode.EXTENDED || mode == JsonMode.STRICT
                        ? fixed("Long")
                        : object("type", "integer", "format", "int64");
            case DOUBLE -> hasPlainNumbers() ? object("type", "number", "format", "double") : fixed("Double");
            default -> {
                var name = NAMES.get(type);
                yield name == null ? new BsonDocument() : fixed(name);
            }
        };
    }

    private static Map<BsonType, String> names() {
        var names = new EnumMap<BsonType, String>(BsonType.class);
        names.put(BsonType.OBJECT_ID, "ObjectId");
        names.put(BsonType.DATE_TIME, "Date");
        names.put(BsonType.DECIMAL128, "Decimal");
        names.put(BsonType.BINARY, "Binary");
        names.put(BsonType.TIMESTAMP, "Timestamp");
        names.put(BsonType.REGULAR_EXPRESSION, "Regex");
        names.put(BsonType.MIN_KEY, "MinKey");
        names.put(BsonType.MAX_KEY, "MaxKey");
        names.put(BsonType.JAVASCRIPT, "Code");
        names.put(BsonType.JAVASCRIPT_WITH_SCOPE, "CodeWithScope");
        names.put(BsonType.SYMBOL, "Symbol");
        names.put(BsonType.DB_POINTER, "DbPointer");
        names.put(BsonType.UNDEFINED, "Undefined");
        return names;
    }
}
