package org.restheart.mongo.validator;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Words;

/// BSON types that JSON lacks. The gateway's validator sees their values as objects with one known key, and MongoDB's
/// keywords about objects do not apply to them, so that it is decided here which of these types a schema admits.
final class ExtendedTypes {
    /// The object that the gateway sees.
    ///
    /// @param type JSON type of the only key's value; empty if there are more
    private record Form(Set<String> keys, String type) {}

    /// By name for `bsonType`.
    private static final Map<String, Form> ALL = all();

    private static final Set<String> ABOUT_OBJECTS = Words.of("""
            required properties patternProperties additionalProperties minProperties maxProperties dependencies
            dependentRequired dependentSchemas propertyNames unevaluatedProperties
            """);

    private static final Set<String> OUT_OF_USE = Set.of("javascriptWithScope", "dbPointer");

    private static final Set<Verdict> NOT_CERTAIN = Set.of(Verdict.REFUSED, Verdict.UNKNOWN);

    private enum Verdict {
        ADMITTED,
        UNKNOWN,
        REFUSED
    }

    private ExtendedTypes() {}

    private static Map<String, Form> all() {
        var types = new LinkedHashMap<String, Form>();
        types.put("objectId", new Form(Set.of("$oid"), "string"));
        types.put("date", new Form(Set.of("$date"), "number"));
        types.put("decimal", new Form(Set.of("$numberDecimal"), "string"));
        types.put("binData", new Form(Set.of("$binary"), "object"));
        types.put("timestamp", new Form(Set.of("$timestamp"), "object"));
        types.put("regex", new Form(Set.of("$regularExpression"), "object"));
        types.put("minKey", new Form(Set.of("$minKey"), "number"));
        types.put("maxKey", new Form(Set.of("$maxKey"), "number"));
        types.put("javascript", new Form(Set.of("$code"), "string"));
        types.put("symbol", new Form(Set.of("$symbol"), "string"));
        types.put("undefined", new Form(Set.of("$undefined"), "boolean"));
        types.put("javascriptWithScope", new Form(Set.of("$code", "$scope"), ""));
        types.put("dbPointer", new Form(Set.of("$ref", "$id"), ""));
        return types;
    }

    /// Whether a schema demands a key of such a type, which no plain document has.
    static boolean demandsKey(BsonDocument schema) {
        return schema.get("required") instanceof BsonArray names
                && names.stream()
                        .anyMatch(name ->
                                name.isString() && name.asString().getValue().startsWith("$"));
    }

    /// The types that may not pass what a schema demands of objects.
    ///
    /// @param bound whether those are meant that certainly do not, or those that perhaps do not
    static List<String> refused(BsonDocument schema, TranslatedPart.Bound bound) {
        return select(schema, bound == TranslatedPart.Bound.UPPER ? Set.of(Verdict.REFUSED) : NOT_CERTAIN);
    }

    /// Whether it is known for each of these types if the schema admits it.
    static boolean isKnown(BsonDocument schema) {
        return select(schema, Set.of(Verdict.UNKNOWN)).stream().allMatch(OUT_OF_USE::contains);
    }

    static List<String> names() {
        return List.copyOf(ALL.keySet());
    }

    private static List<String> select(BsonDocument schema, Set<Verdict> wanted) {
        if (schema.keySet().stream().noneMatch(ABOUT_OBJECTS::contains)) {
            return List.of();
        }
        var selected = new ArrayList<String>();
        ALL.forEach((name, form) -> {
            if (wanted.contains(verdict(schema, form))) {
                selected.add(name);
            }
        });
        return selected;
    }

    private static Verdict verdict(BsonDocument schema, Form form) {
        var verdict = Verdict.ADMITTED;
        for (var demand : schema.entrySet()) {
            var each = verdict(schema, demand.getKey(), demand.getValue(), form);
            verdict = each.compareTo(verdict) > 0 ? each : verdict;
        }
        return verdict;
    }

    private static Verdict verdict(BsonDocument schema, String keyword, BsonValue value, Form form) {
        if (!ABOUT_OBJECTS.contains(keyword)) {
            return Verdict.ADMITTED;
        }
        if (keyword.equals("required")) {
            return value instanceof BsonArray names && names.stream().anyMatch(name -> !isOneOf(name, form.keys()))
                    ? Verdict.REFUSED
                    : Verdict.ADMITTED;
        }
        if (form.keys().size() > 1) {
            return Verdict.UNKNOWN;
        }
        var key = form.keys().iterator().next();
        return switch (keyword) {
            case "properties" ->
                value instanceof BsonDocument properties && properties.containsKey(key)
                        ? ofValue(properties.get(key), form.type())
                        : Verdict.ADMITTED;
            case "additionalProperties" -> additional(schema, value, key);
            case "minProperties" -> number(value) > 1 ? Verdict.REFUSED : Verdict.ADMITTED;
            case "maxProperties" -> number(value) < 1 ? Verdict.REFUSED : Verdict.ADMITTED;
            default -> Verdict.UNKNOWN;
        };
    }

    private static Verdict additional(BsonDocument schema, BsonValue value, String key) {
        if (BsonBoolean.TRUE.equals(value)
                || (schema.get("properties") instanceof BsonDocument properties && properties.containsKey(key))) {
            return Verdict.ADMITTED;
        }
        return BsonBoolean.FALSE.equals(value) && !schema.containsKey("patternProperties")
                ? Verdict.REFUSED
                : Verdict.UNKNOWN;
    }

    private static Verdict ofValue(BsonValue schema, String type) {
        if (!(schema instanceof BsonDocument demands)) {
            return Verdict.UNKNOWN;
        }
        if (demands.isEmpty()) {
            return Verdict.ADMITTED;
        }
        if (demands.get("type") instanceof BsonString named && isOther(named.getValue(), type)) {
            return Verdict.REFUSED;
        }
        return demands.size() == 1 && isOneOf(demands.get("type"), Set.of(type)) ? Verdict.ADMITTED : Verdict.UNKNOWN;
    }

    private static boolean isOther(String named, String type) {
        return !named.equals(type) && !(named.equals("integer") && type.equals("number"));
    }

    private static boolean isOneOf(@Nullable BsonValue value, Set<String> texts) {
        return value instanceof BsonString string && texts.contains(string.getValue());
    }

    private static double number(BsonValue value) {
        return value instanceof BsonNumber number ? number.doubleValue() : 1;
    }
}
