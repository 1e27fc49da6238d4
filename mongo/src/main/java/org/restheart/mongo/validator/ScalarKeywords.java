package org.restheart.mongo.validator;

import java.math.BigDecimal;
import java.util.ArrayList;
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
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.mongo.validator.SchemaPlace.Draft;
import org.restheart.mongo.validator.TranslatedPart.Bound;

/// Keywords about numbers and strings, and lists of values. Confined to one translation.
record ScalarKeywords(SchemaTranslator translator, BsonDocument schema, SchemaPlace place, Bound bound) {
    /// Divisors for which rounding to 15 digits, as MongoDB does with doubles, makes no difference.
    private static final Set<Integer> ROUND = Set.of(1, 2, 5);

    List<TranslatedPart> translate() {
        var parts = new ArrayList<TranslatedPart>();
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
            var types = TranslatedPart.types(bound == Bound.UPPER ? TypeKeywords.NUMBERS : List.of("int", "long"));
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
        var names = TypeKeywords.names(schema);
        if (!names.isEmpty() && !names.contains("object")) {
            return TranslatedPart.exact(demand);
        }
        var notFinite = new BsonArray(List.of(
                new BsonDouble(Double.NaN),
                new BsonDouble(Double.POSITIVE_INFINITY),
                new BsonDouble(Double.NEGATIVE_INFINITY)));
        return TranslatedPart.anyOf(List.of(
                TranslatedPart.exact(new BsonDocument("not", TranslatedPart.types(TypeKeywords.NUMBERS))),
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
}
