package org.restheart.graphql.app;

import graphql.schema.CoercingSerializeException;
import graphql.schema.GraphQLEnumType;
import graphql.schema.GraphQLEnumValueDefinition;
import graphql.schema.GraphQLList;
import graphql.schema.GraphQLNonNull;
import graphql.schema.GraphQLObjectType;
import graphql.schema.GraphQLScalarType;
import graphql.schema.GraphQLType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// Converts stored values to values of a field's type. Immutable.
public sealed interface FieldShape {

    /// @param root the document at the beginning of the path; null if the value itself is that
    @Nullable
    Object of(BsonValue value, @Nullable BsonValue root);

    /// @param loading whether fields of an object type are loaded by queries, which need no value of the
    ///     object
    static FieldShape of(GraphQLType type, boolean strict, Predicate<GraphQLObjectType> loading) {
        return switch (type) {
            case GraphQLNonNull required -> of(required.getWrappedType(), strict, loading);
            case GraphQLList list -> new Many(of(list.getWrappedType(), strict, loading));
            case GraphQLScalarType scalar -> new Leaf(StandardScalar.of(scalar.getName()), strict);
            case GraphQLEnumType anEnum ->
                new Symbol(anEnum.getValues().stream()
                        .map(GraphQLEnumValueDefinition::getValue)
                        .collect(Collectors.toSet()));
            case GraphQLObjectType object -> new Composite(!loading.test(object));
            default -> new Composite(false);
        };
    }

    /// The value of a field that a query is mapped to.
    default @Nullable Object ofResults(List<RawBsonDocument> documents, @Nullable BsonValue root) {
        return documents.isEmpty() ? null : of(documents.getFirst(), root);
    }

    /// The value of a field whose pipeline has no stages: an empty list, also where no list is declared.
    default Object ofNothing() {
        return List.of();
    }

    /// An object, or one of several.
    ///
    /// @param stored whether all its fields are in the value
    record Composite(boolean stored) implements FieldShape {
        @Override
        public @Nullable Object of(BsonValue value, @Nullable BsonValue root) {
            if (value.isNull()) {
                return null;
            }
            if (stored && !value.isDocument() && !value.isArray()) {
                throw new ProblemException(
                        ProblemCode.BAD_REQUEST,
                        "Can't serialize value : a value of type "
                                + value.getBsonType().name().toLowerCase(Locale.ROOT)
                                + " is not of the field's type, which is an object");
            }
            return new Node(value, root == null ? value : root);
        }
    }

    /// A list of such.
    record Many(FieldShape element) implements FieldShape {
        @Override
        public @Nullable Object of(BsonValue value, @Nullable BsonValue root) {
            if (!value.isArray()) {
                return value.isNull() ? null : value;
            }
            return list(value.asArray(), root);
        }

        @Override
        public Object ofResults(List<RawBsonDocument> documents, @Nullable BsonValue root) {
            return list(documents, root);
        }

        private List<@Nullable Object> list(List<? extends BsonValue> values, @Nullable BsonValue root) {
            var list = new ArrayList<@Nullable Object>(values.size());
            for (var value : values) {
                list.add(element.of(value, root));
            }
            return list;
        }
    }

    /// An enum.
    ///
    /// @param known the values that stand for its names
    record Symbol(Set<Object> known) implements FieldShape {
        @Override
        public @Nullable Object of(BsonValue value, @Nullable BsonValue root) {
            if (value.isNull() || value.getBsonType() == org.bson.BsonType.UNDEFINED) {
                return null;
            }
            return known.contains(value) ? value : new Unknown(value);
        }

        @Override
        public Object ofNothing() {
            return new Unknown(new BsonArray());
        }
    }

    /// A value that stands for no name of an enum. The error of the field contains its text.
    record Unknown(BsonValue value) {
        private static final int MAX_TEXT = 100;

        @Override
        public String toString() {
            var json = JsonEncoder.of(JsonMode.DEFAULT).encodeToString(value);
            return json.length() > MAX_TEXT ? json.substring(0, MAX_TEXT) + "..." : json;
        }
    }

    /// @param standard null for those that take BSON as it is
    record Leaf(@Nullable StandardScalar standard, boolean strict) implements FieldShape {
        @Override
        public @Nullable Object of(BsonValue value, @Nullable BsonValue root) {
            if (value.isNull() || value.getBsonType() == BsonType.UNDEFINED) {
                return null;
            }
            return standard == null ? value : standard.of(value, strict);
        }

        @Override
        public Object ofNothing() {
            return standard == null ? new BsonArray() : List.of();
        }
    }

    /// GraphQL's standard scalars, whose coercion cannot be replaced: stored values are converted to types
    /// that it accepts. Only lossless conversions are done; other values are kept, and the coercion refuses
    /// them.
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

        /// A value that no standard scalar accepts; some would accept any object's text. All ask a number
        /// for its text, so that the error tells the type of the stored value.
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
}
