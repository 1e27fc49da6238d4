package org.restheart.bson;

import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/// JSON texts of every mode with a few random changes; the same one for the same seed. Many are still accepted.
final class DamagedJson {
    private static final String[] PIECES = {
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        ",",
        ":",
        "\"",
        "'",
        "\\",
        "\\u00",
        "1",
        "-",
        "+",
        "e",
        ".",
        "0",
        " ",
        "\n",
        "é",
        "null",
        "true",
        "undefined",
        "NaN",
        "Infinity",
        "MinKey",
        "new",
        "99999999999999999999",
        "\"a\": 1, ",
        "$oid",
        "$type",
        "$regex",
        "$options",
        "$code",
        "$scope",
        "$binary",
        "$uuid",
        "$undefined",
        "$timestamp",
        "$numberDecimal",
        "$regularExpression",
        "$symbol",
        "$dbPointer",
        "{\"$numberLong\":\"5\"}",
        "{\"$date\":\"2020-01-01T00:00:00Z\"}",
        "{\"$code\":\"f\",\"$scope\":{",
        "ISODate('2020-01-01')",
        "/a/i",
        "NumberLong(",
        "ObjectId(",
        "BinData(0,\"AQ==\")",
        "Timestamp(1,2)",
        "HexData(0,'ab')",
        "UUID('",
        "RegExp(",
        "DBPointer("
    };

    private final RandomGenerator random;
    private final long seed;

    DamagedJson(long seed) {
        random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        this.seed = seed;
    }

    String text() {
        var modes = Driver.MODES.toArray(JsonMode[]::new);
        var text =
                new StringBuilder(Driver.json(new RandomBson(seed).document(2), modes[random.nextInt(modes.length)]));
        for (int changes = random.nextInt(4); changes >= 0; changes--) {
            change(text);
        }
        // The current time is no fixed result, and lone surrogates are ours to refuse.
        return text.toString().replaceAll("Date\\(|\\\\ud", "");
    }

    private void change(StringBuilder text) {
        int at = random.nextInt(text.length() + 1);
        int next = Math.min(text.length(), at + 1);
        switch (random.nextInt(4)) {
            case 0 -> text.insert(at, PIECES[random.nextInt(PIECES.length)]);
            case 1 -> text.delete(at, Math.min(text.length(), at + random.nextInt(1, 5)));
            case 2 -> text.replace(at, next, Character.toString(random.nextInt(' ', 0x7f)));
            default -> text.replace(at, next, PIECES[random.nextInt(PIECES.length)]);
        }
    }
}
