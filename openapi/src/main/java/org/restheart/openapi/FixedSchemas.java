package org.restheart.openapi;

import static org.restheart.openapi.Json.array;
import static org.restheart.openapi.Json.object;
import static org.restheart.openapi.Json.type;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.bson.BsonDocument;
import org.restheart.bson.JsonMode;

/// The component schemas that do not depend on collections: of types that JSON lacks, of errors, and of resources that
/// are not documents. By their names, which no collection can have.
final class FixedSchemas {
    static final Set<String> NAMES = Set.copyOf(in(JsonMode.RELAXED).keySet());

    private FixedSchemas() {}

    /// A new map, of new schemas.
    static Map<String, BsonDocument> in(JsonMode mode) {
        var schemas = new HashMap<String, BsonDocument>();
        addTypes(schemas, mode);
        addTypesByMode(schemas, mode == JsonMode.STRICT);
        addNumbers(schemas);
        addErrors(schemas);
        addDefinitions(schemas);
        addResults(schemas);
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
        schemas.put(
                "GeoJson",
                described(
                        "GeoJSON (RFC 7946)",
                        object("type", type("string"), "coordinates", object("type", "array", "items", object()))));
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

    private static void addErrors(Map<String, BsonDocument> schemas) {
        schemas.put(
                "DataError",
                members(
                        object(
                                "http status code", type("integer"),
                                "http status description", type("string"),
                                "message", type("string"),
                                "exception", type("string"),
                                "exception message", object(),
                                "_warnings", object("type", "array", "items", type("string"))),
                        "http status code",
                        "http status description",
                        "message"));
        schemas.put("ServiceError", members(object("msg", type("string"), "exception", type("string")), "msg"));
        schemas.put(
                "Problem",
                described(
                                "RFC 9457",
                                object(
                                        "type", type("string"),
                                        "title", type("string"),
                                        "status", type("integer"),
                                        "detail", type("string"),
                                        "code", type("string"),
                                        "warnings", object("type", "array", "items", type("string"))))
                        .append("required", array("type", "title", "status", "code")));
    }

    /// What clients store beside documents.
    private static void addDefinitions(Map<String, BsonDocument> schemas) {
        schemas.put(
                "Properties",
                described("What is stored with a database or a collection, such as `descr`, `aggrs`, `streams` or"
                        + " `jsonSchema`"));
        schemas.put(
                "ValidatorOptions",
                object(
                        "type",
                        "object",
                        "properties",
                        object(
                                "validationLevel", object("type", "string", "enum", array("strict", "moderate")),
                                "validationAction", object("type", "string", "enum", array("error", "warn")),
                                "weaker", type("boolean"),
                                "replace", type("boolean"))));
        schemas.put("Index", described("An index as MongoDB specifies it"));
        schemas.put(
                "IndexDefinition",
                members(
                        object(
                                "keys", described("MongoDB's key specification"),
                                "ops", described("options, such as `unique`")),
                        "keys"));
        schemas.put(
                "Form", described("The fields of a document; a value that is JSON is read as such, another is a text"));
        schemas.put("JsonSchema", described("A JSON Schema of draft 4 or later"));
        schemas.put("Pipeline", object("type", "array", "items", type("object")));
    }

    private static void addResults(Map<String, BsonDocument> schemas) {
        schemas.put("Size", wrapper("_size", integer()));
        schemas.put(
                "BulkResult",
                described(
                        "Counts, links to new documents, and what was refused",
                        object(
                                "inserted", integer(),
                                "deleted", integer(),
                                "modified", integer(),
                                "matched", integer(),
                                "links", object("type", "array", "items", type("string")),
                                "errors",
                                        object(
                                                "type",
                                                "array",
                                                "items",
                                                members(
                                                        object(
                                                                "index", integer(),
                                                                "httpStatus", type("integer"),
                                                                "message", type("string")),
                                                        "httpStatus")))));
        schemas.put(
                "ChangeEvent",
                described(
                        "A change event as MongoDB specifies it",
                        object(
                                "_id", type("object"),
                                "operationType", type("string"),
                                "fullDocument", object(),
                                "documentKey", type("object"),
                                "updateDescription", type("object"))));
    }

    private static BsonDocument integer() {
        return object("type", "integer", "format", "int64");
    }

    /// An object with a single member.
    private static BsonDocument wrapper(String name, BsonDocument schema) {
        return members(object(name, schema), name);
    }

    /// An object with two members, both texts.
    private static BsonDocument strings(String first, String second) {
        return members(object(first, type("string"), second, type("string")), first, second);
    }

    private static BsonDocument members(BsonDocument properties, String... required) {
        return object("type", "object", "properties", properties, "required", array((Object[]) required));
    }

    private static BsonDocument described(String description) {
        return object("type", "object", "description", description);
    }

    private static BsonDocument described(String description, BsonDocument properties) {
        return described(description).append("properties", properties);
    }
}
