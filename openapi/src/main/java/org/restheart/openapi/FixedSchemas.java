package org.restheart.openapi;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;
import static org.restheart.openapi.Json.members;
import static org.restheart.openapi.Json.type;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.bson.BsonDocument;
import org.restheart.bson.JsonMode;

/// The component schemas that do not depend on collections: of types that JSON lacks, of errors, and of resources that
/// are not documents. By their names, which no collection can have.
final class FixedSchemas {
    /// Of errors, of what clients store beside documents, and of results.
    private static final BsonDocument PLAIN = BsonDocument.parse("""
            {"GeoJson": {"type": "object", "description": "GeoJSON (RFC 7946)", "properties": {
                "type": {"type": "string"}, "coordinates": {"type": "array", "items": {}}}},
             "DataError": {"type": "object", "properties": {
                "http status code": {"type": "integer"}, "http status description": {"type": "string"},
                "message": {"type": "string"}, "exception": {"type": "string"}, "exception message": {},
                "_warnings": {"type": "array", "items": {"type": "string"}}},
                "required": ["http status code", "http status description", "message"]},
             "ServiceError": {"type": "object", "properties": {
                "msg": {"type": "string"}, "exception": {"type": "string"}}, "required": ["msg"]},
             "Problem": {"type": "object", "description": "RFC 9457", "properties": {
                "type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"},
                "detail": {"type": "string"}, "code": {"type": "string"},
                "warnings": {"type": "array", "items": {"type": "string"}}},
                "required": ["type", "title", "status", "code"]},
             "Properties": {"type": "object", "description":
                "What is stored with a database or a collection, such as `descr`, `aggrs`, `streams` or `jsonSchema`"},
             "ValidatorOptions": {"type": "object", "properties": {
                "validationLevel": {"type": "string", "enum": ["strict", "moderate"]},
                "validationAction": {"type": "string", "enum": ["error", "warn"]},
                "weaker": {"type": "boolean"}, "replace": {"type": "boolean"}}},
             "Index": {"type": "object", "description": "An index as MongoDB specifies it"},
             "IndexDefinition": {"type": "object", "properties": {
                "keys": {"type": "object", "description": "MongoDB's key specification"},
                "ops": {"type": "object", "description": "options, such as `unique`"}}, "required": ["keys"]},
             "Form": {"type": "object", "description":
                "The fields of a document; a value that is JSON is read as such, another is a text"},
             "JsonSchema": {"type": "object", "description": "A JSON Schema of draft 4 or later"},
             "Pipeline": {"type": "array", "items": {"type": "object"}},
             "BulkResult": {"type": "object",
                "description": "Counts, links to new documents, and what was refused", "properties": {
                "inserted": {"type": "integer", "format": "int64"}, "deleted": {"type": "integer", "format": "int64"},
                "modified": {"type": "integer", "format": "int64"}, "matched": {"type": "integer", "format": "int64"},
                "links": {"type": "array", "items": {"type": "string"}},
                "errors": {"type": "array", "items": {"type": "object", "properties": {
                    "index": {"type": "integer", "format": "int64"}, "httpStatus": {"type": "integer"},
                    "message": {"type": "string"}}, "required": ["httpStatus"]}}}},
             "ChangeEvent": {"type": "object", "description": "A change event as MongoDB specifies it", "properties": {
                "_id": {"type": "object"}, "operationType": {"type": "string"}, "fullDocument": {},
                "documentKey": {"type": "object"}, "updateDescription": {"type": "object"}}}}
            """);

    static final Set<String> NAMES = Set.copyOf(in(JsonMode.RELAXED).keySet());

    private FixedSchemas() {}

    /// A new map, of new schemas.
    static Map<String, BsonDocument> in(JsonMode mode) {
        var schemas = new HashMap<String, BsonDocument>();
        addTypes(schemas, mode);
        addTypesByMode(schemas, mode == JsonMode.STRICT);
        addNumbers(schemas);
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

    /// An object with a single member.
    private static BsonDocument wrapper(String name, BsonDocument schema) {
        return members(object(name, schema), name);
    }

    /// An object with two members, both texts.
    private static BsonDocument strings(String first, String second) {
        return members(object(first, type("string"), second, type("string")), first, second);
    }
}
