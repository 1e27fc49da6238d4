package org.restheart.security.predicate;

import java.math.BigDecimal;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNumber;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;

/// Converts BSON values to text for predicates.
final class Values {
    private Values() {}

    /// Scalars as text; null for what has none (documents, arrays, null, binary data).
    static @Nullable String text(BsonValue value) {
        return switch (value.getBsonType()) {
            case STRING -> value.asString().getValue();
            case OBJECT_ID -> value.asObjectId().getValue().toHexString();
            case DATE_TIME -> Long.toString(value.asDateTime().getValue());
            case BOOLEAN -> Boolean.toString(value.asBoolean().getValue());
            case INT32 -> Integer.toString(value.asInt32().getValue());
            case INT64 -> Long.toString(value.asInt64().getValue());
            case DOUBLE, DECIMAL128 -> text(value.asNumber());
            case SYMBOL -> value.asSymbol().getSymbol();
            default -> null;
        };
    }

    /// Whether there is a value, and nothing in it that has a text.
    static boolean isWithoutText(@Nullable BsonValue value) {
        return value instanceof BsonArray array
                ? !array.isEmpty() && array.stream().allMatch(element -> text(element) == null)
                : value != null && !value.isNull() && text(value) == null;
    }

    /// The same for numbers that MongoDB compares as equal. Fractions that are a double are written as the shortest
    /// decimal that means that double.
    private static String text(BsonNumber number) {
        var exact = exact(number);
        if (exact == null) {
            return Double.toString(number.doubleValue());
        }
        double nearest = exact.doubleValue();
        boolean isFraction = exact.stripTrailingZeros().scale() > 0;
        var shown = isFraction && new BigDecimal(nearest).compareTo(exact) == 0
                ? new BigDecimal(Double.toString(nearest))
                : exact;
        return shown.stripTrailingZeros().toPlainString();
    }

    /// Equality in which numbers of different types compare by value.
    static boolean equal(BsonValue a, BsonValue b) {
        if (a instanceof BsonNumber x && b instanceof BsonNumber y) {
            var left = exact(x);
            var right = exact(y);
            return (left != null && right != null) ? left.compareTo(right) == 0 : a.equals(b);
        }
        if (a instanceof BsonArray x && b instanceof BsonArray y) {
            return x.size() == y.size() && IntStream.range(0, x.size()).allMatch(i -> equal(x.get(i), y.get(i)));
        }
        if (a instanceof BsonDocument x && b instanceof BsonDocument y) {
            return x.size() == y.size()
                    && x.entrySet().stream().allMatch(entry -> {
                        var other = y.get(entry.getKey());
                        return other != null && equal(entry.getValue(), other);
                    });
        }
        return a.equals(b);
    }

    static @Nullable BigDecimal exact(BsonNumber number) {
        return switch (number.getBsonType()) {
            case INT32, INT64 -> BigDecimal.valueOf(number.longValue());
            case DOUBLE -> Double.isFinite(number.doubleValue()) ? new BigDecimal(number.doubleValue()) : null;
            default -> exact(number.decimal128Value());
        };
    }

    private static @Nullable BigDecimal exact(Decimal128 number) {
        if (number.isNaN() || number.isInfinite()) { // only equal to itself
            return null;
        }
        try {
            return number.bigDecimalValue();
        } catch (ArithmeticException _) { // negative zero
            return BigDecimal.ZERO;
        }
    }

    /// The value at a dotted path through documents, or null. A key may itself contain dots.
    static @Nullable BsonValue at(BsonDocument document, String path) {
        var whole = document.get(path);
        if (whole != null) {
            return whole;
        }
        for (int dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
            if (document.get(path.substring(0, dot)) instanceof BsonDocument inner) {
                var value = at(inner, path.substring(dot + 1));
                if (value != null) {
                    return value;
                }
            }
        }
        return null;
    }
}
