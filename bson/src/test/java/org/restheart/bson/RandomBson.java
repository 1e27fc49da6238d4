package org.restheart.bson;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDbPointer;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonJavaScript;
import org.bson.BsonJavaScriptWithScope;
import org.bson.BsonMaxKey;
import org.bson.BsonMinKey;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonSymbol;
import org.bson.BsonTimestamp;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;

/// Documents of every type and of awkward values; the same ones for the same seed.
final class RandomBson {
    private static final long[] DATES = {
        0,
        -1,
        1,
        999,
        1000,
        253_402_300_799_999L,
        253_402_300_800_000L,
        253_399_536_000_000L,
        253_399_536_000_001L,
        -59_014_396_800_000L,
        -59_014_396_800_001L,
        -12_219_292_800_000L,
        -12_219_292_800_001L,
        951_782_400_000L,
        Long.MIN_VALUE,
        Long.MAX_VALUE,
        1_568_295_769_260L
    };
    private static final double[] DOUBLES = {
        0.0,
        -0.0,
        1.0,
        -1.5,
        1e30,
        1e-7,
        1e7,
        9_999_999.0,
        0.001,
        123456.789,
        Double.MIN_VALUE,
        Double.MAX_VALUE,
        Double.NaN,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY,
        4.35,
        2.2250738585072014E-308,
        9007199254740993.0
    };
    private static final long[] LONGS = {
        0,
        1,
        -1,
        9,
        10,
        99,
        100,
        101,
        999,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        Integer.MAX_VALUE + 1L,
        Integer.MIN_VALUE - 1L,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        Long.MIN_VALUE + 1,
        1_000_000_000_000_000_000L
    };
    private static final String[] DECIMALS = {
        "0",
        "-0",
        "1.10",
        "NaN",
        "Infinity",
        "-Infinity",
        "1E+6144",
        "9.999999999999999999999999999999999E+6144",
        "1E-6176",
        "-123.456",
        "0E+3",
        "0.000001"
    };
    private static final String[] PIECES = {
        "a",
        "Zebra ",
        "\"",
        "\\",
        "/",
        "<",
        "\n",
        "\t\r\b\f",
        "\0",
        "\u0001",
        "\u001f",
        "\u007f",
        "\u0085",
        "é",
        "ß",
        "\u00ad",
        "e\u0301",
        "漢字",
        "\u2028",
        "\u2029",
        "\u200b",
        "\ue000",
        "\ufeff",
        "\uffff",
        "😀",
        "𝄞",
        "\udbff\udfff",
        "a plain run of text that is longer than a few machine words ",
        "$",
        ".",
        "'",
        "-",
        "\u06f3",
        "\u00a0",
        "\ufffd"
    };

    private final RandomGenerator random;

    RandomBson(long seed) {
        random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    }

    static List<BsonDocument> documents(int count) {
        var documents = new ArrayList<BsonDocument>();
        for (int seed = 0; seed < count; seed++) {
            documents.add(new RandomBson(seed).document(4));
        }
        return documents;
    }

    BsonDocument document(int depth) {
        var document = new BsonDocument();
        for (int fields = random.nextInt(depth == 4 ? 12 : 5); fields > 0; fields--) {
            document.append(name(), value(depth));
        }
        return document;
    }

    /// Without zero bytes, and never the name of an extended type, which would be read back as one.
    private String name() {
        var name = text().replace("\0", "");
        return name.startsWith("$") ? "x" + name : name;
    }

    String text() {
        var text = new StringBuilder();
        for (int pieces = random.nextInt(4); pieces > 0; pieces--) {
            text.append(PIECES[random.nextInt(PIECES.length)]);
        }
        return text.toString();
    }

    BsonValue value(int depth) {
        return switch (random.nextInt(depth == 0 ? 19 : 22)) {
            case 0 -> new BsonDouble(random.nextBoolean() ? DOUBLES[random.nextInt(DOUBLES.length)] : anyDouble());
            case 1 -> new BsonString(text());
            case 2 -> binary();
            case 3 -> new BsonUndefined();
            case 4 -> new BsonObjectId(objectId());
            case 5 -> BsonBoolean.valueOf(random.nextBoolean());
            case 6 -> new BsonDateTime(date());
            case 7 -> BsonNull.VALUE;
            case 8 -> new BsonRegularExpression(text().replace("\0", ""), random.nextBoolean() ? "" : "xim");
            case 9 -> new BsonDbPointer(text(), objectId());
            case 10 -> new BsonJavaScript(text());
            case 11 -> new BsonSymbol(text());
            case 12 -> new BsonInt32((int) integer());
            case 13 -> new BsonTimestamp(random.nextInt(), random.nextInt());
            case 14 -> new BsonInt64(integer());
            case 15 -> new BsonDecimal128(decimal());
            case 16 -> new BsonMinKey();
            case 17 -> new BsonMaxKey();
            case 18 -> new BsonString("x".repeat(random.nextInt(40)));
            case 19 -> document(depth - 1);
            case 20 -> array(depth - 1);
            default -> new BsonJavaScriptWithScope(text(), document(depth - 1));
        };
    }

    private BsonArray array(int depth) {
        var array = new BsonArray();
        for (int elements = random.nextInt(12); elements > 0; elements--) {
            array.add(value(depth));
        }
        return array;
    }

    private BsonBinary binary() {
        var data = new byte[random.nextInt(20)];
        random.nextBytes(data);
        byte[] subtypes = {0, 1, 2, 3, 4, 5, 6, (byte) 0x80, (byte) 0xff};
        return new BsonBinary(subtypes[random.nextInt(subtypes.length)], data);
    }

    private double anyDouble() {
        return switch (random.nextInt(3)) {
            case 0 -> Double.longBitsToDouble(random.nextLong());
            case 1 -> random.nextInt(2_000_000) / 1000.0 - 1000;
            default -> random.nextLong();
        };
    }

    private long date() {
        return switch (random.nextInt(3)) {
            case 0 -> DATES[random.nextInt(DATES.length)];
            case 1 -> random.nextLong(-70_000_000_000_000L, 260_000_000_000_000L);
            default -> random.nextLong(2_000_000_000_000L) / 10 * 10;
        };
    }

    private long integer() {
        return switch (random.nextInt(3)) {
            case 0 -> LONGS[random.nextInt(LONGS.length)];
            case 1 -> random.nextLong() >> random.nextInt(64);
            default -> random.nextInt(-1000, 1000);
        };
    }

    private Decimal128 decimal() {
        return random.nextBoolean()
                ? Decimal128.parse(DECIMALS[random.nextInt(DECIMALS.length)])
                : new Decimal128(random.nextLong());
    }

    private ObjectId objectId() {
        var bytes = new byte[12];
        random.nextBytes(bytes);
        return new ObjectId(bytes);
    }
}
