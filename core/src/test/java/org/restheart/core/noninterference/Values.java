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

/// Names of fields and values, few of each, so that what is asked often meets what is there. No ObjectIds: those stand
/// for what the server makes up, which comparisons leave out.
record Values(Dice dice) {
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
        return dice.of(FIELDS);
    }

    String path() {
        return dice.of(PATHS);
    }

    BsonString string() {
        return new BsonString(dice.of(STRINGS));
    }

    BsonInt32 number() {
        return new BsonInt32(dice.of(-1, 0, 1, 2, 3, 7, 9));
    }

    BsonValue scalar() {
        return switch (dice.below(20)) {
            case 0, 1, 2, 3, 4, 5 -> number();
            case 6, 7, 8, 9, 10 -> string();
            case 11 -> BsonBoolean.valueOf(dice.percent(50));
            case 12 -> BsonNull.VALUE;
            case 13 -> new BsonDouble(dice.of(1.0, 1.5, -0.0, Double.NaN, 1e300));
            case 14 -> new BsonInt64(dice.of(1L, 1L << 40, Long.MAX_VALUE));
            case 15 -> new BsonDecimal128(Decimal128.parse(dice.of("1", "0.1", "NaN")));
            case 16 -> new BsonDateTime(dice.of(0L, 1_600_000_000_000L));
            case 17 -> new BsonBinary(new byte[] {1, 2});
            case 18 -> new BsonRegularExpression(dice.of("^x", "a", ".*"), dice.of("", "i"));
            default -> dice.of(new BsonMinKey(), new BsonMaxKey());
        };
    }

    BsonValue value() {
        return value(2);
    }

    private BsonValue value(int depth) {
        if (depth == 0 || dice.percent(60)) {
            return scalar();
        }
        if (dice.percent(50)) {
            var array = new BsonArray();
            for (int i = dice.below(4); i > 0; i--) {
                array.add(value(depth - 1));
            }
            return array;
        }
        var document = new BsonDocument();
        for (int i = dice.below(3); i > 0; i--) {
            document.put(dice.of("k", "x", "secret", "open", "2024", "0", "y"), value(depth - 1));
        }
        return document;
    }

    /// A point that a 2dsphere index takes.
    BsonValue point() {
        return Dice.array(number(), number());
    }

    BsonValue geometry() {
        return dice.percent(60)
                ? new BsonDocument("type", new BsonString("Point")).append("coordinates", point())
                : value();
    }
}
