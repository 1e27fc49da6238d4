package org.restheart.rest.validator;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;

/// Random schemas and documents with few names and values, so that they often have to do with each other. Confined to
/// one thread.
final class RandomSchemas {
    private static final List<String> NAMES = List.of("a", "b", "c", "_id", "_etag");
    private static final List<String> TYPES =
            List.of("string", "integer", "number", "boolean", "null", "object", "array");
    private static final List<String> PATTERNS =
            List.of("^a", "b$", "a.b", "[a-c]{2}", "(x|ab)+", "\\d", "^[^a]*$", "\\p{L}", "(?<!a)b", "^_");

    private final Random random;

    RandomSchemas(long seed) {
        random = new Random(seed);
    }

    private <T> T pick(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private boolean percent(int chance) {
        return random.nextInt(100) < chance;
    }

    private <T> List<T> some(int most, Supplier<T> each) {
        return IntStream.range(0, 1 + random.nextInt(most))
                .mapToObj(_ -> each.get())
                .toList();
    }

    private BsonArray array(int most, Supplier<? extends BsonValue> each) {
        return new BsonArray(new ArrayList<BsonValue>(some(most, each)));
    }

    /// A schema for documents.
    BsonDocument schema(boolean late) {
        var schema = part(3, late);
        if (percent(50)) {
            schema.put("type", new BsonString("object"));
        }
        return schema;
    }

    private BsonDocument part(int depth, boolean late) {
        var schema = new BsonDocument();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            add(schema, depth, late);
        }
        return schema;
    }

    private BsonDocument sub(int depth, boolean late) {
        return part(depth - 1, late);
    }

    private BsonDocument named(int depth, boolean late) {
        var all = new BsonDocument();
        some(3, () -> pick(NAMES)).forEach(name -> all.put(name, sub(depth, late)));
        return all;
    }

    private void add(BsonDocument schema, int depth, boolean late) {
        switch (random.nextInt(depth > 0 ? 22 : 10)) {
            case 0, 1 -> schema.put("type", new BsonString(pick(TYPES)));
            case 2 ->
                schema.put(
                        "type",
                        new BsonArray(new ArrayList<BsonValue>(some(3, () -> pick(TYPES)).stream()
                                .distinct()
                                .map(BsonString::new)
                                .toList())));
            case 3 ->
                schema.put(
                        "enum",
                        new BsonArray(
                                array(4, () -> json(1)).stream().distinct().toList()));
            case 4 -> {
                schema.put(pick(List.of("minimum", "maximum")), number());
                if (late && percent(30)) {
                    schema.put(pick(List.of("exclusiveMinimum", "exclusiveMaximum")), number());
                }
            }
            case 5 ->
                schema.put(
                        "multipleOf",
                        pick(List.of(new BsonInt32(2), new BsonInt32(3), new BsonDouble(0.5), new BsonDouble(0.01))));
            case 6 -> schema.put(pick(List.of("minLength", "maxLength")), new BsonInt32(random.nextInt(4)));
            case 7 -> schema.put("pattern", new BsonString(pick(PATTERNS)));
            case 8 ->
                schema.put(
                        "required",
                        new BsonArray(new ArrayList<BsonValue>(some(2, () -> pick(NAMES)).stream()
                                .distinct()
                                .map(BsonString::new)
                                .toList())));
            case 9 -> {
                if (late) {
                    schema.put("const", json(1));
                } else {
                    schema.put("format", new BsonString("date-time"));
                }
            }
            case 10, 11, 12 -> schema.put("properties", named(depth, late));
            case 13 -> schema.put("additionalProperties", percent(60) ? BsonBoolean.FALSE : sub(depth, late));
            case 14 -> schema.put("patternProperties", new BsonDocument(pick(PATTERNS), sub(depth, late)));
            case 15 -> schema.put(pick(List.of("minProperties", "maxProperties")), new BsonInt32(random.nextInt(5)));
            case 16 -> schema.put("items", percent(50) ? sub(depth, late) : array(2, () -> sub(depth, late)));
            case 17 -> {
                schema.put("items", array(2, () -> sub(depth, late)));
                schema.put("additionalItems", percent(50) ? BsonBoolean.FALSE : sub(depth, late));
            }
            case 18 -> {
                schema.put(pick(List.of("minItems", "maxItems")), new BsonInt32(random.nextInt(3)));
                schema.put("uniqueItems", BsonBoolean.TRUE);
            }
            case 19 -> schema.put(pick(List.of("allOf", "anyOf", "oneOf")), array(3, () -> sub(depth, late)));
            case 20 -> schema.put("not", sub(depth, late));
            default -> {
                if (late) {
                    schema.put("if", sub(depth, late));
                    schema.put(pick(List.of("then", "else")), sub(depth, late));
                    schema.put("contains", sub(depth, late));
                } else {
                    schema.put(
                            "dependencies",
                            new BsonDocument(
                                    pick(NAMES),
                                    percent(50)
                                            ? new BsonArray(List.of(new BsonString(pick(NAMES))))
                                            : sub(depth, late)));
                }
            }
        }
    }

    /// A document as it is stored.
    ///
    /// @param extended whether there may be types that JSON lacks
    BsonDocument document(boolean extended) {
        var document = new BsonDocument(
                "_id", percent(60) ? new BsonObjectId(new ObjectId()) : new BsonInt32(random.nextInt()));
        some(3, () -> pick(List.of("a", "b", "c"))).forEach(name -> document.put(name, value(2, extended)));
        return document.append("_etag", new BsonObjectId(new ObjectId()));
    }

    private BsonValue json(int depth) {
        return value(depth, false);
    }

    private BsonValue number() {
        return pick(List.of(
                new BsonInt32(0),
                new BsonInt32(1),
                new BsonInt32(2),
                new BsonDouble(1.5),
                new BsonInt32(6),
                new BsonDouble(-0.25)));
    }

    private BsonValue value(int depth, boolean extended) {
        if (extended && percent(25)) {
            return pick(List.of(
                    new BsonObjectId(new ObjectId()),
                    new BsonDateTime(7),
                    new BsonDecimal128(Decimal128.parse("1")),
                    new BsonDecimal128(Decimal128.parse("1.5")),
                    new BsonInt64(1L << 40),
                    new BsonDouble(1.0),
                    new BsonDouble(2.0)));
        }
        return switch (random.nextInt(depth > 0 ? 9 : 6)) {
            case 0 -> new BsonString(pick(List.of("", "a", "ab", "axb", "b\n", "xx1", "é", "2024-01-01T00:00:00Z")));
            case 1, 2 -> number();
            case 3 -> BsonBoolean.valueOf(percent(50));
            case 4 -> BsonNull.VALUE;
            case 5 -> new BsonInt64(random.nextInt(3));
            case 6 -> new BsonArray();
            case 7 -> array(3, () -> value(depth - 1, extended));
            default -> {
                var inner = new BsonDocument();
                some(2, () -> pick(NAMES)).forEach(name -> inner.put(name, value(depth - 1, extended)));
                yield inner;
            }
        };
    }
}
