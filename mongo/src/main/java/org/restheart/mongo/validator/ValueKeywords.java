package org.restheart.mongo.validator;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.mongo.validator.SchemaPlace.Draft;
import org.restheart.mongo.validator.TranslatedPart.Bound;

/// Keywords about types, lists of values, numbers, strings and arrays. Confined to one translation.
record ValueKeywords(SchemaTranslator translator, BsonDocument schema, SchemaPlace place, Bound bound) {
    private static final List<String> NUMBERS = List.of("int", "long", "double");

    /// Divisors for which rounding to 15 digits, as MongoDB does with doubles, makes no difference.
    private static final Set<Integer> ROUND = Set.of(1, 2, 5);

    /// Types whose values MongoDB and the gateway take for equal in the same cases.
    private static final List<String> COMPARABLE = List.of("string", "int", "long", "bool", "null", "objectId", "date");

    List<TranslatedPart> translate() {
        var parts = new ArrayList<TranslatedPart>();
        parts.add(types());
        if (schema.get("enum") instanceof BsonArray values) {
            parts.add(values(values));
        }
        if (schema.containsKey("const") && place.draft().isSince(Draft.V6)) {
            parts.add(values(new BsonArray(List.of(schema.get("const")))));
        }
        limit(parts, "minimum", "exclusiveMinimum");
        limit(parts, "maximum", "exclusiveMaximum");
        if (schema.get("multipleOf") instanceof BsonNumber divisor) {
            parts.add(multiple(divisor));
        }
        texts(parts);
        parts.add(arrays());
        return parts;
    }

    /// MongoDB compares numbers by value, decimals too, which are objects to the gateway.
    private TranslatedPart values(BsonArray listed) {
        if (place.whole()) { // a stored document has other fields than the one that was checked
            return translator.leaveOut(place, "enum", "of whole documents", bound);
        }
        var numbers = new ArrayList<BsonValue>();
        var others = new ArrayList<BsonValue>();
        for (var value : listed) {
            var stored = stored(value);
            var those = stored instanceof BsonNumber ? numbers : others;
            if (!those.contains(stored)) {
                those.add(stored);
            }
        }
        var parts = new ArrayList<TranslatedPart>();
        if (!others.isEmpty()) {
            parts.add(TranslatedPart.exact(new BsonDocument("enum", new BsonArray(others))));
        }
        if (!numbers.isEmpty()) {
            var types = TranslatedPart.types(bound == Bound.UPPER ? NUMBERS : List.of("int", "long"));
            parts.add(new TranslatedPart(types.append("enum", new BsonArray(numbers)), bound == Bound.UPPER));
        }
        return parts.size() == 1 ? parts.getFirst() : TranslatedPart.anyOf(parts);
    }

    /// The value that has this JSON form.
    private static BsonValue stored(BsonValue value) {
        try {
            var json = JsonEncoder.of(JsonMode.DEFAULT).encodeToString(new BsonDocument("v", value));
            return JsonParser.parse(json) instanceof BsonDocument parsed ? parsed.getOrDefault("v", value) : value;
        } catch (MalformedJsonException _) {
            return value;
        }
    }

    private void limit(List<TranslatedPart> parts, String limit, String exclusive) {
        var value = schema.get(limit);
        var strict = schema.get(exclusive);
        if (value instanceof BsonNumber) {
            var demand = new BsonDocument(limit, value);
            if (strict instanceof BsonBoolean && !place.draft().isSince(Draft.V6)) {
                demand.append(exclusive, strict);
            }
            parts.add(aboutNumbers(demand));
        }
        if (strict instanceof BsonNumber && place.draft().isSince(Draft.V6)) {
            parts.add(aboutNumbers(new BsonDocument(limit, strict).append(exclusive, BsonBoolean.TRUE)));
        }
    }

    private TranslatedPart multiple(BsonNumber divisor) {
        var demand = new BsonDocument("multipleOf", divisor);
        var digits = (divisor instanceof BsonDouble
                        ? BigDecimal.valueOf(divisor.doubleValue())
                        : BigDecimal.valueOf(divisor.longValue()))
                .stripTrailingZeros();
        if (ROUND.contains(
                digits.unscaledValue().bitLength() > 8
                        ? 0
                        : digits.unscaledValue().intValue())) {
            return aboutNumbers(demand);
        }
        translator.leaveOut(place, "multipleOf", "for numbers with a fraction", bound);
        var doubles = TranslatedPart.types(List.of("double"));
        return bound == Bound.UPPER
                ? TranslatedPart.anyOf(List.of(TranslatedPart.exact(doubles), aboutNumbers(demand)))
                        .inexact()
                : TranslatedPart.allOf(
                                List.of(TranslatedPart.exact(new BsonDocument("not", doubles)), aboutNumbers(demand)),
                                List.of())
                        .inexact();
    }

    /// A demand on numbers that does not concern what the gateway takes for objects: decimals, and what is not finite.
    private TranslatedPart aboutNumbers(BsonDocument demand) {
        var names = typeNames(schema);
        if (!names.isEmpty() && !names.contains("object")) {
            return TranslatedPart.exact(demand);
        }
        var notFinite = new BsonArray(List.of(
                new BsonDouble(Double.NaN),
                new BsonDouble(Double.POSITIVE_INFINITY),
                new BsonDouble(Double.NEGATIVE_INFINITY)));
        return TranslatedPart.anyOf(List.of(
                TranslatedPart.exact(new BsonDocument("not", TranslatedPart.types(NUMBERS))),
                TranslatedPart.exact(new BsonDocument("enum", notFinite)),
                TranslatedPart.exact(demand)));
    }

    private void texts(List<TranslatedPart> parts) {
        for (var keyword : List.of("minLength", "maxLength")) {
            if (schema.get(keyword) instanceof BsonNumber length) {
                parts.add(TranslatedPart.exact(new BsonDocument(keyword, count(length, 0))));
            }
        }
        if (schema.get("pattern") instanceof BsonString pattern) {
            parts.add(PortablePattern.of(pattern.getValue())
                    .map(portable -> TranslatedPart.exact(new BsonDocument("pattern", new BsonString(portable))))
                    .orElseGet(() -> translator.leaveOut(
                            place, "pattern", "which MongoDB may read otherwise: " + pattern.getValue(), bound)));
        }
    }

    /// A count for MongoDB, plus something.
    static BsonInt32 count(BsonNumber count, int plus) {
        return new BsonInt32((int) Math.min(count.longValue() + plus, Integer.MAX_VALUE));
    }

    /// The names of a schema's types; empty for any.
    private static Set<String> typeNames(BsonDocument schema) {
        var names = new LinkedHashSet<String>();
        switch (schema.get("type")) {
            case BsonString one -> names.add(one.getValue());
            case BsonArray several ->
                several.stream()
                        .filter(BsonValue::isString)
                        .forEach(name -> names.add(name.asString().getValue()));
            case null, default -> {}
        }
        return names;
    }

    /// `type`: JSON's types as those of BSON.
    private TranslatedPart types() {
        var names = typeNames(schema);
        var refused = new ArrayList<>(ExtendedTypes.refused(schema, bound));
        if (ExtendedTypes.demandsKey(schema)) {
            refused.add("object");
        }
        boolean exact = place.whole() || ExtendedTypes.isKnown(schema);
        if (names.isEmpty()) {
            if (place.whole()) {
                refused.removeAll(ExtendedTypes.names());
            }
            return refused.isEmpty()
                    ? new TranslatedPart(new BsonDocument(), exact)
                    : new TranslatedPart(new BsonDocument("not", TranslatedPart.types(refused)), exact);
        }
        var types = new ArrayList<String>();
        for (var name : names) {
            switch (name) {
                case "object" -> {
                    types.add("object");
                    if (!place.whole()) {
                        types.addAll(ExtendedTypes.names());
                    }
                    types.removeAll(refused);
                }
                case "boolean" -> types.add("bool");
                case "number" -> types.addAll(NUMBERS);
                case "integer" -> types.addAll(List.of("int", "long"));
                default -> types.add(name);
            }
        }
        if (types.isEmpty()) {
            return new TranslatedPart(TranslatedPart.nothing().schema(), exact);
        }
        var plain = new TranslatedPart(
                TranslatedPart.types(types.stream().distinct().toList()), exact);
        return names.contains("integer")
                        && !names.contains("number")
                        && place.draft().isSince(Draft.V6)
                ? TranslatedPart.anyOf(List.of(plain, wholeDouble()))
                : plain;
    }

    /// Later drafts count `1.0` among the integers.
    private static TranslatedPart wholeDouble() {
        return TranslatedPart.exact(TranslatedPart.types(List.of("double")).append("multipleOf", new BsonInt32(1)));
    }

    private TranslatedPart arrays() {
        var groups = new ArrayList<TranslatedPart>();
        groups.add(items());
        for (var keyword : List.of("minItems", "maxItems")) {
            if (schema.get(keyword) instanceof BsonNumber count) {
                groups.add(TranslatedPart.exact(new BsonDocument(keyword, count(count, 0))));
            }
        }
        var others = new ArrayList<TranslatedPart>();
        if (BsonBoolean.TRUE.equals(schema.get("uniqueItems"))) {
            others.add(unique());
        }
        if (schema.containsKey("contains") && place.draft().isSince(Draft.V6)) {
            others.add(contains(schema.get("contains")));
        }
        return TranslatedPart.allOf(groups, others);
    }

    /// The last draft has `prefixItems` and `items` for what the others call `items` and `additionalItems`.
    private TranslatedPart items() {
        boolean renamed = place.draft().isSince(Draft.V2020);
        var firstName = renamed ? "prefixItems" : "items";
        var restName = renamed ? "items" : "additionalItems";
        if (!(schema.get(firstName) instanceof BsonArray first)) {
            return schema.containsKey("items") ? each(schema.get("items")) : TranslatedPart.ANY;
        }
        var parts = new ArrayList<TranslatedPart>();
        for (int i = 0; i < first.size(); i++) {
            parts.add(translator.part(first.get(i), place.inside(firstName + "/" + i), bound));
        }
        boolean exact = parts.stream().allMatch(TranslatedPart::exact);
        var translated = new BsonDocument(
                "items",
                new BsonArray(parts.stream().map(TranslatedPart::schema).toList()));
        if (schema.containsKey(restName)) {
            var rest = translator.part(schema.get(restName), place.inside(restName), bound);
            exact &= rest.exact();
            translated.append("additionalItems", rest.schema());
        }
        return new TranslatedPart(translated, exact);
    }

    private TranslatedPart each(BsonValue items) {
        var part = translator.part(items, place.inside("items"), bound);
        return new TranslatedPart(new BsonDocument("items", part.schema()), part.exact());
    }

    /// To the gateway `1` and `1.0` differ, and decimals are objects.
    private TranslatedPart unique() {
        var demand = new BsonDocument("uniqueItems", BsonBoolean.TRUE);
        if (isComparable(schema.get("items"))) {
            return TranslatedPart.exact(demand);
        }
        var comparable = new BsonDocument("items", TranslatedPart.types(COMPARABLE));
        var unknown = translator.leaveOut(
                place, "uniqueItems", "for arrays with other elements than strings, integers and the like", bound);
        return bound == Bound.UPPER
                ? TranslatedPart.anyOf(List.of(
                                TranslatedPart.exact(demand),
                                TranslatedPart.exact(new BsonDocument("not", comparable))))
                        .inexact()
                : unknown;
    }

    private boolean isComparable(@Nullable BsonValue items) {
        if (!(items instanceof BsonDocument each) || each.containsKey("$ref")) {
            return false;
        }
        var names = typeNames(each);
        return !names.isEmpty()
                && names.stream().allMatch(name -> switch (name) {
                    case "string", "boolean", "null" -> true;
                    case "integer" -> !place.draft().isSince(Draft.V6); // else 1.0 is one
                    default -> false;
                });
    }

    private TranslatedPart contains(BsonValue contained) {
        if (schema.containsKey("minContains") || schema.containsKey("maxContains")) {
            return translator.leaveOut(place, "contains", "with minContains or maxContains", bound);
        }
        var part = translator.part(contained, place.inside("contains"), bound);
        var none = new BsonDocument("items", TranslatedPart.not(part).schema());
        return new TranslatedPart(
                TranslatedPart.anyOf(List.of(
                                TranslatedPart.exact(new BsonDocument("not", TranslatedPart.types(List.of("array")))),
                                TranslatedPart.exact(new BsonDocument("not", none))))
                        .schema(),
                part.exact());
    }
}
