package org.restheart.mongo.cursor;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// MongoDB's order of values (MongoDB manual, "Comparison/Sort Order"), for the usual types of ids.
final class BsonOrder {
    private BsonOrder() {}

    /// Whether [#compare] supports the value.
    static boolean knows(BsonValue value) {
        return rank(value) >= 0
                && (!value.isDocument() || value.asDocument().values().stream().allMatch(BsonOrder::knows));
    }

    /// @return negative, zero or positive
    static int compare(BsonValue a, BsonValue b) {
        int byType = Integer.compare(rank(a), rank(b));
        if (byType != 0) {
            return byType;
        }
        return switch (a.getBsonType()) {
            case INT32, INT64, DOUBLE -> numbers(a, b);
            case STRING ->
                Arrays.compareUnsigned(
                        utf8(a.asString().getValue()), utf8(b.asString().getValue()));
            case DOCUMENT -> documents(a.asDocument(), b.asDocument());
            case BINARY -> binaries(a, b);
            case OBJECT_ID -> a.asObjectId().getValue().compareTo(b.asObjectId().getValue());
            case BOOLEAN -> a.asBoolean().compareTo(b.asBoolean());
            case DATE_TIME -> a.asDateTime().compareTo(b.asDateTime());
            default -> 0;
        };
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static int rank(BsonValue value) {
        return switch (value.getBsonType()) {
            case MIN_KEY -> 0;
            case NULL -> 1;
            case INT32, INT64, DOUBLE -> 2;
            case STRING -> 3;
            case DOCUMENT -> 4;
            case BINARY -> 5;
            case OBJECT_ID -> 6;
            case BOOLEAN -> 7;
            case DATE_TIME -> 8;
            case MAX_KEY -> 9;
            default -> -1;
        };
    }

    private static int numbers(BsonValue a, BsonValue b) {
        if (!a.isDouble() && !b.isDouble()) {
            return Long.compare(a.asNumber().longValue(), b.asNumber().longValue());
        }
        double x = a.asNumber().doubleValue();
        double y = b.asNumber().doubleValue();
        if (Double.isFinite(x) && Double.isFinite(y)) {
            return exact(a).compareTo(exact(b));
        }
        if (Double.isNaN(x) || Double.isNaN(y)) { // before all other numbers
            return Boolean.compare(Double.isNaN(y), Double.isNaN(x));
        }
        return Double.compare(x, y);
    }

    /// A double cannot represent every long.
    private static BigDecimal exact(BsonValue number) {
        return number.isDouble()
                ? new BigDecimal(number.asDouble().getValue())
                : BigDecimal.valueOf(number.asNumber().longValue());
    }

    private static int binaries(BsonValue a, BsonValue b) {
        var x = a.asBinary();
        var y = b.asBinary();
        int byLength = Integer.compare(x.getData().length, y.getData().length);
        if (byLength != 0) {
            return byLength;
        }
        int byType = Integer.compare(x.getType() & 0xff, y.getType() & 0xff);
        return byType != 0 ? byType : Arrays.compareUnsigned(x.getData(), y.getData());
    }

    private static int documents(BsonDocument a, BsonDocument b) {
        var fields = a.entrySet().iterator();
        var others = b.entrySet().iterator();
        while (fields.hasNext() && others.hasNext()) {
            var x = fields.next();
            var y = others.next();
            int order = Integer.compare(rank(x.getValue()), rank(y.getValue()));
            if (order == 0) {
                order = Arrays.compareUnsigned(utf8(x.getKey()), utf8(y.getKey()));
            }
            if (order == 0) {
                order = compare(x.getValue(), y.getValue());
            }
            if (order != 0) {
                return order;
            }
        }
        return Boolean.compare(fields.hasNext(), others.hasNext());
    }
}
