package org.restheart.openapi;

import static org.restheart.bson.BsonValues.object;
import static org.restheart.openapi.Json.type;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonTypes;
import org.restheart.bson.BsonValues;
import org.restheart.bson.JsonMode;
import org.restheart.http.Words;

/// Converts declared schemas, JSON Schemas from draft 4 on or MongoDB's `$jsonSchema`, to OpenAPI 3.1 (2020-12). Parts
/// that are not understood or too large become open schemas; nothing is fetched. Confined to one schema.
final class DeclaredSchemas {
    private static final int MAX_SCHEMAS = 500;
    private static final int MAX_DEPTH = 20;
    private static final Set<String> NUMERIC = Set.of("minimum", "maximum", "multipleOf");
    private static final Set<String> COPIED = Words.of("""
            minProperties maxProperties minItems maxItems uniqueItems minLength maxLength pattern format enum const
            minContains maxContains readOnly writeOnly
            """);

    private final Components components;
    private final String component;
    private final Function<String, Optional<BsonDocument>> others;
    private int count;

    /// @param component the name of the schema
    /// @param others resolves references to other schemas; empty for hidden ones
    DeclaredSchemas(Components components, String component, Function<String, Optional<BsonDocument>> others) {
        this.components = components;
        this.component = component;
        this.others = others;
    }

    /// The schema itself; its definitions and the objects in it become components.
    BsonDocument convert(BsonDocument schema) {
        for (var key : List.of("definitions", "$defs")) {
            if (schema.get(key) instanceof BsonDocument definitions) {
                definitions.forEach((name, definition) -> {
                    var named = definition(name);
                    if (!components.has(named)) {
                        components.put(named, asObject(convert(definition, named, 1)));
                    }
                });
            }
        }
        return asObject(convert(schema, component, 0));
    }

    private String definition(String name) {
        return component + "." + ComponentNames.inner("", name).substring(1);
    }

    private static BsonDocument asObject(BsonValue schema) {
        return schema instanceof BsonDocument document ? document : new BsonDocument();
    }

    private static BsonDocument open(String why) {
        return object("description", why);
    }

    private BsonValue convert(BsonValue schema, String name, int depth) {
        if (schema instanceof BsonBoolean) {
            return schema;
        }
        if (!(schema instanceof BsonDocument document)) {
            return new BsonDocument();
        }
        if (++count > MAX_SCHEMAS || depth > MAX_DEPTH) {
            return open("the rest of this schema is too large to be shown");
        }
        if (document.get("$ref") instanceof BsonString reference) {
            return reference(reference.getValue());
        }
        var converted = new BsonDocument();
        text(document, converted, "title");
        text(document, converted, "description");
        if (document.containsKey("bsonType")) {
            var union = unionOfBsonTypes(document.get("bsonType"));
            converted.putAll(union);
            if (union.containsKey("$ref") || union.containsKey("anyOf")) {
                return converted;
            }
        } else {
            types(document.get("type"), converted);
        }
        bounds(document, converted);
        objects(document, converted, name, depth);
        arrays(document, converted, name, depth);
        combinations(document, converted, name, depth);
        dependencies(document, converted, name, depth);
        return converted;
    }

    /// @param type the value of `bsonType`
    /// @return the schema of the types that it names; empty if it names no known one
    private BsonDocument unionOfBsonTypes(BsonValue type) {
        var types = bsonTypes(type);
        return types.isEmpty()
                ? new BsonDocument()
                : ShapeSchemas.union(types, names(type).contains("null"));
    }

    /// Keywords without schemas.
    private static void bounds(BsonDocument from, BsonDocument to) {
        COPIED.forEach(key -> {
            if (from.containsKey(key)) {
                to.append(key, from.get(key));
            }
        });
        NUMERIC.forEach(key -> {
            var number = from.get(key);
            if (number != null && number.isNumber()) {
                to.append(key, number);
            }
        });
        exclusive(from, to, "minimum", "exclusiveMinimum");
        exclusive(from, to, "maximum", "exclusiveMaximum");
    }

    /// Schemas that hold for the same value.
    private void combinations(BsonDocument from, BsonDocument to, String name, int depth) {
        for (var key : List.of("allOf", "anyOf", "oneOf")) {
            if (from.get(key) instanceof BsonArray parts && !parts.isEmpty()) {
                var all = new BsonArray();
                int i = 0;
                for (var part : parts) {
                    all.add(convert(part, name + "_" + key + i++, depth + 1));
                }
                to.append(key, all);
            }
        }
        for (var key : List.of("not", "contains", "if", "then", "else", "propertyNames")) {
            if (from.containsKey(key)) {
                to.append(key, convert(from.get(key), name + "_" + key, depth + 1));
            }
        }
    }

    private static void text(BsonDocument from, BsonDocument to, String key) {
        if (from.get(key) instanceof BsonString text) {
            to.append(key, new BsonString(Json.prose(text.getValue())));
        }
    }

    private static void types(@Nullable BsonValue type, BsonDocument converted) {
        var names =
                names(type).stream().filter(Words.of("""
                        string number integer boolean object array null
                        """)::contains).distinct().toList();
        if (names.size() == 1) {
            converted.append("type", new BsonString(names.getFirst()));
        } else if (!names.isEmpty() && names.size() == names(type).size()) {
            converted.append("type", BsonValues.value(names));
        }
    }

    private static List<String> names(@Nullable BsonValue type) {
        if (type instanceof BsonString name) {
            return List.of(name.getValue());
        }
        return type instanceof BsonArray array
                ? array.stream()
                        .filter(BsonValue::isString)
                        .map(name -> name.asString().getValue())
                        .toList()
                : List.of();
    }

    /// Empty if one of the types is not known.
    private List<BsonDocument> bsonTypes(BsonValue type) {
        var schemas = new ArrayList<BsonDocument>();
        for (var name : names(type)) {
            switch (name) {
                case "object", "array" -> schemas.add(type(name));
                case "null" -> {}
                case "number" -> {
                    if (components.mode() == JsonMode.EXTENDED) {
                        schemas.add(components.of(BsonType.INT32));
                        schemas.add(components.of(BsonType.INT64));
                        schemas.add(components.of(BsonType.DOUBLE));
                    } else {
                        schemas.add(type("number"));
                    }
                }
                default -> {
                    var known = BsonTypes.named(name);
                    if (known.isEmpty()) {
                        return List.of();
                    }
                    schemas.add(components.of(known.get()));
                }
            }
        }
        return schemas;
    }

    private static void exclusive(BsonDocument from, BsonDocument to, String bound, String exclusive) {
        var value = from.get(exclusive);
        if (value instanceof BsonBoolean flag && flag.getValue() && to.containsKey(bound)) {
            to.append(exclusive, to.remove(bound));
        } else if (value != null && value.isNumber()) {
            to.append(exclusive, value);
        }
    }

    private void objects(BsonDocument from, BsonDocument to, String name, int depth) {
        for (var key : List.of("properties", "patternProperties")) {
            if (from.get(key) instanceof BsonDocument properties) {
                var converted = new BsonDocument();
                properties.forEach((property, schema) ->
                        converted.append(property, inner(schema, ComponentNames.inner(name, property), depth + 1)));
                to.append(key, converted);
            }
        }
        if (from.get("required") instanceof BsonArray required && !required.isEmpty()) {
            to.append("required", required);
        }
        if (from.containsKey("additionalProperties")) {
            to.append("additionalProperties", inner(from.get("additionalProperties"), name + "_value", depth + 1));
        }
    }

    /// An object with properties becomes a component.
    private BsonValue inner(BsonValue schema, String name, int depth) {
        var converted = convert(schema, name, depth);
        if (converted instanceof BsonDocument document && document.containsKey("properties")) {
            components.put(name, document);
            return Json.schema(name);
        }
        return converted;
    }

    private void arrays(BsonDocument from, BsonDocument to, String name, int depth) {
        var prefix = from.get("items") instanceof BsonArray items ? items : from.get("prefixItems");
        if (prefix instanceof BsonArray items && !items.isEmpty()) {
            var all = new BsonArray();
            int i = 0;
            for (var item : items) {
                all.add(inner(item, name + "_item" + i++, depth + 1));
            }
            to.append("prefixItems", all);
            var rest = from.get("items") instanceof BsonArray ? from.get("additionalItems") : from.get("items");
            to.append("items", rest == null ? new BsonDocument() : inner(rest, name + "_item", depth + 1));
        } else if (from.containsKey("items") && !from.isArray("items")) {
            to.append("items", inner(from.get("items"), name + "_item", depth + 1));
        } else if (to.get("type") instanceof BsonString type && type.getValue().equals("array")) {
            to.append("items", new BsonDocument());
        }
    }

    private void dependencies(BsonDocument from, BsonDocument to, String name, int depth) {
        var names = new BsonDocument();
        var schemas = new BsonDocument();
        for (var key : List.of("dependencies", "dependentRequired", "dependentSchemas")) {
            if (from.get(key) instanceof BsonDocument dependencies) {
                dependencies.forEach((property, needed) -> {
                    if (needed.isArray()) {
                        names.append(property, needed);
                    } else {
                        schemas.append(property, convert(needed, name + "_with" + property, depth + 1));
                    }
                });
            }
        }
        if (!names.isEmpty()) {
            to.append("dependentRequired", names);
        }
        if (!schemas.isEmpty()) {
            to.append("dependentSchemas", schemas);
        }
    }

    private BsonDocument reference(String reference) {
        if (reference.equals("#")) {
            return Json.schema(component);
        }
        for (var prefix : List.of("#/definitions/", "#/$defs/")) {
            if (reference.startsWith(prefix) && reference.indexOf('/', prefix.length()) < 0) {
                return Json.schema(definition(
                        reference.substring(prefix.length()).replace("~1", "/").replace("~0", "~")));
            }
        }
        return others.apply(reference).orElseGet(() -> open("a schema that is not shown here"));
    }
}
