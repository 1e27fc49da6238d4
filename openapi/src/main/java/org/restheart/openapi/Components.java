package org.restheart.openapi;

import static org.restheart.openapi.Json.array;
import static org.restheart.openapi.Json.object;
import static org.restheart.openapi.Json.schema;
import static org.restheart.openapi.Json.type;

import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.restheart.bson.JsonMode;

/// The component schemas of one document: fixed schemas for types that JSON lacks, in one JSON mode, and added
/// ones. Contains only referenced schemas. Confined to one document.
final class Components {
    /// Names that no collection can have.
    static final Set<String> FIXED = Set.of(
            "ObjectId",
            "Date",
            "Decimal",
            "Binary",
            "Timestamp",
            "Regex",
            "MinKey",
            "MaxKey",
            "Code",
            "CodeWithScope",
            "Symbol",
            "DbPointer",
            "Undefined",
            "Int",
            "Long",
            "Double",
            "NonFinite",
            "GeoJson",
            "DataError",
            "ServiceError",
            "Problem",
            "BulkResult",
            "Properties",
            "Index",
            "IndexDefinition",
            "Size",
            "JsonSchema",
            "ChangeEvent",
            "Pipeline");

    private static final Map<BsonType, String> NAMES = names();

    private final JsonMode mode;
    private final Map<String, BsonDocument> schemas = new TreeMap<>();

    Components(JsonMode mode) {
        this.mode = mode;
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

    /// Whether numbers are JSON numbers.
    boolean hasPlainNumbers() {
        return mode != JsonMode.EXTENDED;
    }

    /// A reference to one of the fixed schemas, which is added.
    BsonDocument fixed(String name) {
        schemas.computeIfAbsent(name, this::definition);
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

    private static BsonDocument wrapper(String key, BsonDocument value) {
        return object("type", "object", "properties", object(key, value), "required", array(key));
    }

    private static BsonDocument integer() {
        return object("type", "integer", "format", "int64");
    }

    private BsonDocument definition(String name) {
        boolean old = mode == JsonMode.STRICT;
        return switch (name) {
            case "ObjectId" -> wrapper("$oid", object("type", "string", "pattern", "^[0-9a-f]{24}$"));
            case "Date" ->
                switch (mode) {
                    case RELAXED ->
                        wrapper(
                                "$date",
                                object(
                                        "anyOf",
                                        array(
                                                object("type", "string", "format", "date-time"),
                                                wrapper("$numberLong", type("string")))));
                    case EXTENDED -> wrapper("$date", wrapper("$numberLong", type("string")));
                    default -> wrapper("$date", integer());
                };
            case "Decimal" -> wrapper("$numberDecimal", type("string"));
            case "Binary" ->
                old
                        ? object(
                                "type",
                                "object",
                                "properties",
                                object("$binary", type("string"), "$type", type("string")),
                                "required",
                                array("$binary", "$type"))
                        : wrapper(
                                "$binary",
                                object(
                                        "type",
                                        "object",
                                        "properties",
                                        object("base64", type("string"), "subType", type("string")),
                                        "required",
                                        array("base64", "subType")));
            case "Timestamp" ->
                wrapper(
                        "$timestamp",
                        object(
                                "type",
                                "object",
                                "properties",
                                object("t", integer(), "i", integer()),
                                "required",
                                array("t", "i")));
            case "Regex" ->
                old
                        ? object(
                                "type",
                                "object",
                                "properties",
                                object("$regex", type("string"), "$options", type("string")),
                                "required",
                                array("$regex", "$options"))
                        : wrapper(
                                "$regularExpression",
                                object(
                                        "type",
                                        "object",
                                        "properties",
                                        object("pattern", type("string"), "options", type("string")),
                                        "required",
                                        array("pattern", "options")));
            case "MinKey" -> wrapper("$minKey", type("integer"));
            case "MaxKey" -> wrapper("$maxKey", type("integer"));
            case "Code" -> wrapper("$code", type("string"));
            case "CodeWithScope" ->
                object(
                        "type",
                        "object",
                        "properties",
                        object("$code", type("string"), "$scope", type("object")),
                        "required",
                        array("$code", "$scope"));
            case "Symbol" -> wrapper("$symbol", type("string"));
            case "Undefined" -> wrapper("$undefined", type("boolean"));
            case "Int" -> wrapper("$numberInt", type("string"));
            case "Long" -> wrapper("$numberLong", type("string"));
            case "Double", "NonFinite" -> wrapper("$numberDouble", type("string"));
            case "GeoJson" ->
                object(
                        "type",
                        "object",
                        "description",
                        "GeoJSON (RFC 7946)",
                        "properties",
                        object("type", type("string"), "coordinates", object("type", "array", "items", object())));
            case "DataError" ->
                object(
                        "type",
                        "object",
                        "properties",
                        object(
                                "http status code", type("integer"),
                                "http status description", type("string"),
                                "message", type("string"),
                                "exception", type("string"),
                                "exception message", object(),
                                "_warnings", object("type", "array", "items", type("string"))),
                        "required",
                        array("http status code", "http status description", "message"));
            case "ServiceError" ->
                object(
                        "type",
                        "object",
                        "properties",
                        object("msg", type("string"), "exception", type("string")),
                        "required",
                        array("msg"));
            case "Problem" ->
                object(
                        "type",
                        "object",
                        "description",
                        "RFC 9457",
                        "properties",
                        object(
                                "type", type("string"),
                                "title", type("string"),
                                "status", type("integer"),
                                "detail", type("string"),
                                "code", type("string")),
                        "required",
                        array("type", "title", "status", "code"));
            case "Properties" ->
                object(
                        "type",
                        "object",
                        "description",
                        "What is stored with a database or a collection, such as `descr`, `aggrs`, `streams` or"
                                + " `jsonSchema`");
            case "Index" -> object("type", "object", "description", "An index as MongoDB specifies it");
            case "IndexDefinition" ->
                object(
                        "type",
                        "object",
                        "properties",
                        object(
                                "keys", object("type", "object", "description", "MongoDB's key specification"),
                                "ops", object("type", "object", "description", "options, such as `unique`")),
                        "required",
                        array("keys"));
            case "Size" -> wrapper("_size", integer());
            case "JsonSchema" -> object("type", "object", "description", "A JSON Schema of draft 4 or later");
            case "BulkResult" ->
                object(
                        "type",
                        "object",
                        "description",
                        "Counts of what was inserted, matched, modified and deleted, and links to new documents");
            case "ChangeEvent" ->
                object(
                        "type",
                        "object",
                        "description",
                        "A change event as MongoDB specifies it",
                        "properties",
                        object(
                                "_id", type("object"),
                                "operationType", type("string"),
                                "fullDocument", object(),
                                "documentKey", type("object"),
                                "updateDescription", type("object")));
            case "Pipeline" -> object("type", "array", "items", type("object"));
            default -> type("object");
        };
    }
}
