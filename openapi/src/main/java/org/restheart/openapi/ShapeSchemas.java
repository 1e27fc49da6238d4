package org.restheart.openapi;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.openapi.Json.schema;
import static org.restheart.openapi.Json.type;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;
import org.restheart.rest.description.Shape;

/// Converts shapes to JSON Schema: open, without required properties and without values.
///
/// @param shares whether properties contain the share of documents that have them
record ShapeSchemas(Components components, boolean shares) {
    private static final int MAX_ALTERNATIVES = 5;
    private static final Set<BsonType> NUMBERS = EnumSet.of(BsonType.INT32, BsonType.INT64, BsonType.DOUBLE);

    /// Properties of an object, `_id` first.
    ///
    /// @param component prefix of the names of nested components
    BsonDocument properties(Shape.Fields fields, String component) {
        return properties(fields, component, Set.of());
    }

    BsonDocument properties(Shape.Fields fields, String component, Set<String> without) {
        var properties = new BsonDocument();
        var id = fields.byName().get("_id");
        if (id != null && !without.contains("_id")) {
            properties.append("_id", of(id, ComponentNames.inner(component, "_id")));
        }
        fields.byName().forEach((name, field) -> {
            if (!name.equals("_id") && !without.contains(name)) {
                var schema = of(field, ComponentNames.inner(component, name));
                if (shares && fields.objects() > 0) {
                    schema.append(
                            "x-share", BsonValues.value(Math.round(100.0 * field.count() / fields.objects()) / 100.0));
                }
                properties.append(name, schema);
            }
        });
        return properties;
    }

    /// An object with all observed properties.
    BsonDocument object(Shape.Fields fields, String component) {
        var object = type("object");
        var properties = properties(fields, component);
        if (!properties.isEmpty()) {
            object.append("properties", properties);
        }
        fields.others()
                .ifPresent(others -> object.append(
                        "additionalProperties", properties.isEmpty() ? of(others, component + "_value") : object()));
        return object;
    }

    private static BsonDocument object() {
        return new BsonDocument();
    }

    private BsonDocument of(Shape.Field field, String component) {
        var alternatives = new ArrayList<BsonDocument>();
        numbers(field, alternatives);
        for (var type : field.types().keySet()) {
            if (type == BsonType.DOCUMENT) {
                field.object()
                        .ifPresentOrElse(
                                fields -> {
                                    components.put(component, object(fields, component));
                                    alternatives.add(schema(component));
                                },
                                () -> alternatives.add(type("object")));
            } else if (type == BsonType.ARRAY) {
                alternatives.add(list(field, component));
            } else if (type != BsonType.NULL && !NUMBERS.contains(type)) {
                var schema = components.of(type);
                if (type == BsonType.STRING) {
                    field.format().ifPresent(format -> schema.append("format", new BsonString(format.keyword())));
                }
                alternatives.add(schema);
            }
        }
        return union(alternatives, field.types().containsKey(BsonType.NULL));
    }

    /// An array; as a component if values may have other types: client generators have no names for lists in unions.
    private BsonDocument list(Shape.Field field, String component) {
        boolean alone =
                field.types().keySet().stream().allMatch(type -> type == BsonType.ARRAY || type == BsonType.NULL);
        // The names of an object's properties are its own.
        var name = field.types().containsKey(BsonType.DOCUMENT) ? component + ".array" : component;
        var list = Json.list(
                field.element().map(element -> of(element, name + "_item")).orElseGet(BsonDocument::new));
        if (alone) {
            return list;
        }
        components.put(name + "_list", list);
        return schema(name + "_list");
    }

    private void numbers(Shape.Field field, List<BsonDocument> alternatives) {
        var seen = EnumSet.copyOf(NUMBERS);
        seen.retainAll(field.types().keySet());
        if (seen.isEmpty()) {
            return;
        }
        var long64 = components.of(BsonType.INT64);
        if (long64.containsKey("$ref")) { // one representation each
            seen.forEach(type -> alternatives.add(components.of(type)));
        } else {
            var widest = seen.contains(BsonType.DOUBLE)
                    ? seen.size() == 1 ? components.of(BsonType.DOUBLE) : type("number")
                    : seen.contains(BsonType.INT64) ? long64 : components.of(BsonType.INT32);
            alternatives.add(widest);
        }
        if (field.nonFinite() && components.hasPlainNumbers()) {
            alternatives.add(components.fixed("NonFinite"));
        }
    }

    /// A union, in the form that client generators support.
    static BsonDocument union(List<BsonDocument> alternatives, boolean nullable) {
        if (alternatives.size() + (nullable ? 1 : 0) > MAX_ALTERNATIVES) {
            return BsonValues.object("description", "values of many types");
        }
        if (alternatives.isEmpty()) {
            return nullable ? type("null") : new BsonDocument();
        }
        var first = alternatives.getFirst();
        if (alternatives.size() == 1 && !nullable) {
            return first;
        }
        if (alternatives.size() == 1
                && first.get("type") instanceof BsonString name
                && !name.getValue().equals("array")
                && !name.getValue().equals("object")) {
            var both = new BsonDocument("type", array(name, "null"));
            first.forEach((key, value) -> both.putIfAbsent(key, value));
            return both;
        }
        var all = new BsonArray();
        alternatives.forEach((BsonValue alternative) -> all.add(alternative));
        if (nullable) {
            all.add(type("null"));
        }
        return new BsonDocument("anyOf", all);
    }
}
