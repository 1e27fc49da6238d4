package org.restheart.graphql.app;

import graphql.schema.CoercingSerializeException;
import java.util.Locale;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/// GraphQL's standard scalars, whose coercion cannot be replaced: stored values are converted to types that it
/// accepts. Only lossless conversions are done; other values are kept, and the coercion refuses them.
enum StandardScalar {
    INT {
        @Override
        @Nullable
        Object widened(BsonValue value) {
            if (!value.isInt64() && !value.isDouble()) {
                return null;
            }
            double number = value.asNumber().doubleValue();
            int integer = value.asNumber().intValue();
            return number == integer ? integer : null;
        }
    },
    FLOAT {
        @Override
        @Nullable
        Object widened(BsonValue value) {
            return switch (value.getBsonType()) {
                case INT32 -> value.asInt32().doubleValue();
                case INT64 -> {
                    long number = value.asInt64().getValue();
                    yield (long) (double) number == number && number != Long.MAX_VALUE
                            ? (Object) (double) number
                            : null;
                }
                case DECIMAL128 -> {
                    var number = value.asDecimal128().getValue();
                    if (!number.isFinite() || (number.isNegative() && number.doubleValue() == 0)) {
                        yield null;
                    }
                    double rounded = number.doubleValue();
                    yield Double.isFinite(rounded)
                                    && new java.math.BigDecimal(Double.toString(rounded))
                                                    .compareTo(number.bigDecimalValue())
                                            == 0
                            ? (Object) rounded
                            : null;
                }
                default -> null;
            };
        }
    },
    STRING,
    BOOLEAN,
    ID {
        @Override
        @Nullable
        Object widened(BsonValue value) {
            return switch (value.getBsonType()) {
                case OBJECT_ID -> value.asObjectId().getValue().toHexString();
                case INT32 -> Integer.toString(value.asInt32().getValue());
                case INT64 -> Long.toString(value.asInt64().getValue());
                case DOUBLE -> {
                    double number = value.asDouble().getValue();
                    yield Double.isFinite(number)
                            ? decimalText(new java.math.BigDecimal(Double.toString(number)))
                            : null;
                }
                case DECIMAL128 -> {
                    var number = value.asDecimal128().getValue();
                    yield number.isFinite() ? number.toString() : null;
                }
                default -> null;
            };
        }
    };

    static @Nullable StandardScalar of(String name) {
        return switch (name) {
            case "Int" -> INT;
            case "Float" -> FLOAT;
            case "String" -> STRING;
            case "Boolean" -> BOOLEAN;
            case "ID" -> ID;
            default -> null;
        };
    }

    private static String decimalText(java.math.BigDecimal number) {
        return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
    }

    final Object of(BsonValue value, boolean strict) {
        var exact = exact(value);
        if (exact != null) {
            return exact;
        }
        var widened = strict ? null : widened(value);
        return widened != null ? widened : new OtherType(value);
    }

    private @Nullable Object exact(BsonValue value) {
        return switch (this) {
            case INT -> value.isInt32() ? value.asInt32().getValue() : null;
            case FLOAT -> value.isDouble() ? value.asDouble().getValue() : null;
            case STRING, ID -> value.isString() ? value.asString().getValue() : null;
            case BOOLEAN -> value.isBoolean() ? value.asBoolean().getValue() : null;
        };
    }

    @Nullable
    Object widened(BsonValue value) {
        return null;
    }

    /// A value that no standard scalar accepts; some would accept any object's text. All ask a number for its
    /// text, so that the error tells the type of the stored value.
    static final class OtherType extends Number {
        private static final long serialVersionUID = 1;

        private final String type;

        OtherType(BsonValue value) {
            this.type = value.getBsonType().name().toLowerCase(Locale.ROOT);
        }

        @Override
        public String toString() {
            throw refusal();
        }

        private CoercingSerializeException refusal() {
            return new CoercingSerializeException("a value of type " + type + " is not of the field's type");
        }

        @Override
        public int intValue() {
            throw refusal();
        }

        @Override
        public long longValue() {
            throw refusal();
        }

        @Override
        public float floatValue() {
            throw refusal();
        }

        @Override
        public double doubleValue() {
            throw refusal();
        }
    }
}
