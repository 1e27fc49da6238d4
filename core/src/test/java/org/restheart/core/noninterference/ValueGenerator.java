package org.restheart.core.noninterference;

import java.util.List;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonMaxKey;
import org.bson.BsonMinKey;
import org.bson.BsonNull;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.Decimal128;

/// Generates field names and values from small sets, so that requests often match documents. No ObjectIds:
/// [ObservedResponse] replaces those.
record ValueGenerator(RandomSource random) {
    static final List<String> FIELDS = List.of(
            "owner", "pub", "team", "v", "s", "a", "n", "d", "secret", "2024", "open", "geo", "loc", "t", "new");
    static final List<String> PATHS = Stream.concat(
                    FIELDS.stream(),
                    Stream.of(
                            "_id",
                            "n.k",
                            "n.0",
                            "n.0.k",
                            "n.1.k",
                            "n.secret",
                            "n.0.secret",
                            "n.open",
                            "a.0",
                            "a.1",
                            "a.1.x",
                            "d.x",
                            "d.secret",
                            "d.2024",
                            "d.x.y",
                            "2024.x",
                            "secret.x",
                            "secret.0",
                            "new.x.y",
                            "password",
                            "roles"))
            .toList();
    private static final List<String> STRINGS =
            List.of("x", "1", "12", "red", "blue", "xena", "yuri", "alpha", "beta alpha", "", "z9");

    String field() {
        return random.pick(FIELDS);
    }

    String path() {
        return random.pick(PATHS);
    }

    BsonString string() {
        return new BsonString(random.pick(STRINGS));
    }

    BsonInt32 number() {
        return new BsonInt32(random.pick(-1, 0, 1, 2, 3, 7, 9));
    }

    BsonValue scalar() {
        return switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5 -> number();
            case 6, 7, 8, 9, 10 -> string();
            case 11 -> BsonBoolean.valueOf(random.percent(50));
            case 12 -> BsonNull.VALUE;
            case 13 -> new BsonDouble(random.pick(1.0, 1.5, -0.0, Double.NaN, 1e300));
            case 14 -> new BsonInt64(random.pick(1L, 1L << 40, Long.MAX_VALUE));
            case 15 -> new BsonDecimal128(Decimal128.parse(random.pick("1", "0.1", "NaN")));
            case 16 -> new BsonDateTime(random.pick(0L, 1_600_000_000_000L));
            case 17 -> new BsonBinary(new byte[] {1, 2});
            case 18 -> new BsonRegularExpression(random.pick("^x", "a", ".*"), random.pick("", "i"));
            default -> random.pick(new BsonMinKey(), new BsonMaxKey());
        };
    }

    BsonValue value() {
        return value(2);
    }

    private BsonValue value(int depth) {
        if (depth == 0 || random.percent(60)) {
            return scalar();
        }
        if (random.percent(50)) {
            var array = new BsonArray();
            for (int i = random.nextInt(4); i > 0; i--) {
                array.add(value(depth - 1));
            }
            return array;
        }
        var document = new BsonDocument();
        for (int i = random.nextInt(3); i > 0; i--) {
            document.put(random.pick("k", "x", "secret", "open", "2024", "0", "y"), value(depth - 1));
        }
        return document;
    }

    /// A point that a 2dsphere index takes.
    BsonValue point() {
        return array(number(), number());
    }

    BsonValue geometry() {
        return random.percent(60)
                ? new BsonDocument("type", new BsonString("Point")).append("coordinates", point())
                : value();
    }

    static BsonDocument document(String key, BsonValue value) {
        return new BsonDocument(key, value);
    }

    static BsonArray array(BsonValue... values) {
        return new BsonArray(List.of(values));
    }
}
