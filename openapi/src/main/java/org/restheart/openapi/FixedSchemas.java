package org.restheart.openapi;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;
import static org.restheart.openapi.Json.members;
import static org.restheart.openapi.Json.type;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonDocument;
import org.restheart.bson.JsonMode;
import org.restheart.http.Bundled;

/// The component schemas that do not depend on collections: of types that JSON lacks, of errors, and of resources that
/// are not documents. By their names, which no collection can have.
final class FixedSchemas {
    /// Of errors, of what clients store beside documents, and of results.
    private static final BsonDocument PLAIN = Bundled.json(FixedSchemas.class, "schemas.json");

    /// Types that [JsonMode#PLAIN] writes as strings.
    private static final List<String> STRINGS =
            List.of("Decimal", "Binary", "Regex", "Code", "CodeWithScope", "Symbol");

    static final Set<String> NAMES = Set.copyOf(in(JsonMode.RELAXED).keySet());

    private FixedSchemas() {}

    /// A new map, of new schemas.
    static Map<String, BsonDocument> in(JsonMode mode) {
        var schemas = new HashMap<String, BsonDocument>();
        addTypes(schemas, mode);
        addTypesByMode(schemas, mode == JsonMode.STRICT);
        addNumbers(schemas);
        if (mode == JsonMode.PLAIN) {
            for (var name : STRINGS) {
                schemas.put(name, type("string"));
            }
            schemas.put("NonFinite", type("null"));
            schemas.put("ObjectId", object("type", "string", "pattern", "^[0-9a-f]{24}$"));
            schemas.put("Date", object("type", "string", "format", "date-time"));
        }
        PLAIN.forEach((name, schema) -> schemas.put(name, schema.asDocument().clone()));
        schemas.put("Size", wrapper("_size", integer()));
        return schemas;
    }

    private static void addTypes(Map<String, BsonDocument> schemas, JsonMode mode) {
        schemas.put("ObjectId", wrapper("$oid", object("type", "string", "pattern", "^[0-9a-f]{24}$")));
        schemas.put("Date", wrapper("$date", date(mode)));
        schemas.put("Decimal", wrapper("$numberDecimal", type("string")));
        schemas.put("Timestamp", wrapper("$timestamp", members(object("t", integer(), "i", integer()), "t", "i")));
        schemas.put("MinKey", wrapper("$minKey", type("integer")));
        schemas.put("MaxKey", wrapper("$maxKey", type("integer")));
        schemas.put("Code", wrapper("$code", type("string")));
        schemas.put(
                "CodeWithScope", members(object("$code", type("string"), "$scope", type("object")), "$code", "$scope"));
        schemas.put("Symbol", wrapper("$symbol", type("string")));
        schemas.put("DbPointer", type("object"));
        schemas.put("Undefined", wrapper("$undefined", type("boolean")));
    }

    private static BsonDocument date(JsonMode mode) {
        var milliseconds = wrapper("$numberLong", type("string"));
        return switch (mode) {
            case RELAXED -> object("anyOf", array(object("type", "string", "format", "date-time"), milliseconds));
            case EXTENDED -> milliseconds;
            default -> integer();
        };
    }

    /// @param strict whether types are written as MongoDB's strict mode writes them (Extended JSON v1)
    private static void addTypesByMode(Map<String, BsonDocument> schemas, boolean strict) {
        schemas.put("Binary", strict ? strings("$binary", "$type") : wrapper("$binary", strings("base64", "subType")));
        schemas.put(
                "Regex",
                strict ? strings("$regex", "$options") : wrapper("$regularExpression", strings("pattern", "options")));
    }

    /// Numbers in the modes that do not write them as numbers.
    private static void addNumbers(Map<String, BsonDocument> schemas) {
        schemas.put("Int", wrapper("$numberInt", type("string")));
        schemas.put("Long", wrapper("$numberLong", type("string")));
        schemas.put("Double", wrapper("$numberDouble", type("string")));
        schemas.put("NonFinite", wrapper("$numberDouble", type("string")));
    }

    private static BsonDocument integer() {
        return object("type", "integer", "format", "int64");
    }

    private static BsonDocument wrapper(String name, BsonDocument schema) {
        return members(object(name, schema), name);
    }

    private static BsonDocument strings(String first, String second) {
        return members(object(first, type("string"), second, type("string")), first, second);
    }
}
