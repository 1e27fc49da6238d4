package org.restheart.mongo.coalescing;

import java.math.BigDecimal;
import java.util.Optional;
import org.bson.BsonValue;
import org.bson.types.Decimal128;

/// An `_id` with MongoDB's equality: numbers are compared across types (MongoDB manual, "Comparison/Sort Order"), so
/// a request for `1` finds a document whose `_id` is `1.0`.
public final class CanonicalId {
    private CanonicalId() {}

    /// Empty for unsupported types, whose reads are not coalesced.
    public static Optional<Object> of(BsonValue id) {
        return switch (id.getBsonType()) {
            case STRING, OBJECT_ID, DATE_TIME, BOOLEAN -> Optional.of(id);
            case INT32, INT64 -> Optional.of(BigDecimal.valueOf(id.asNumber().longValue()));
            case DOUBLE -> ofDouble(id.asDouble().getValue());
            case DECIMAL128 -> ofDecimal(id.asDecimal128().getValue());
            default -> Optional.empty();
        };
    }

    private static Optional<Object> ofDouble(double value) {
        return Double.isFinite(value) ? Optional.of(normal(new BigDecimal(value))) : Optional.empty();
    }

    private static Optional<Object> ofDecimal(Decimal128 value) {
        if (!value.isFinite()) {
            return Optional.empty();
        }
        try {
            return Optional.of(normal(value.bigDecimalValue()));
        } catch (ArithmeticException _) {
            return Optional.of(BigDecimal.ZERO); // a negative one
        }
    }

    /// [BigDecimal#equals] compares the scale, MongoDB does not.
    private static BigDecimal normal(BigDecimal value) {
        return value.signum() == 0
                ? BigDecimal.valueOf(0)
                : value.stripTrailingZeros().scale() <= 0 ? value.setScale(0) : value.stripTrailingZeros();
    }
}
