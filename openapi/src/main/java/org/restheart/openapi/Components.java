package org.restheart.openapi;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;
import static org.restheart.openapi.Json.schema;
import static org.restheart.openapi.Json.type;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.restheart.bson.JsonMode;
import org.restheart.text.Words;

/// The component schemas of one document, in one JSON mode: those of [FixedSchemas] that are referenced, and added
/// ones. Confined to one document.
final class Components {
    /// Of schemas in [FixedSchemas], by the names of types.
    private static final Map<String, String> NAMES = Words.pairs("""
        OBJECT_ID=ObjectId DATE_TIME=Date DECIMAL128=Decimal BINARY=Binary TIMESTAMP=Timestamp
        REGULAR_EXPRESSION=Regex MIN_KEY=MinKey MAX_KEY=MaxKey JAVASCRIPT=Code JAVASCRIPT_WITH_SCOPE=CodeWithScope
        SYMBOL=Symbol DB_POINTER=DbPointer UNDEFINED=Undefined
        """);

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
                switch (mode) {
                    case EXTENDED, STRICT -> fixed("Long");
                    case PLAIN -> object("type", array("integer", "string"), "format", "int64");
                    default -> object("type", "integer", "format", "int64");
                };
            case DOUBLE -> hasPlainNumbers() ? object("type", "number", "format", "double") : fixed("Double");
            default -> {
                var name = NAMES.get(type.name());
                yield name == null ? new BsonDocument() : fixed(name);
            }
        };
    }
}
