package org.restheart.graphql.app;

import graphql.GraphQLContext;
import graphql.execution.CoercedVariables;
import graphql.language.ArrayValue;
import graphql.language.BooleanValue;
import graphql.language.EnumValue;
import graphql.language.FloatValue;
import graphql.language.IntValue;
import graphql.language.NullValue;
import graphql.language.ObjectValue;
import graphql.language.StringValue;
import graphql.language.Value;
import graphql.language.VariableReference;
import graphql.schema.Coercing;
import graphql.schema.CoercingParseLiteralException;
import graphql.schema.CoercingParseValueException;
import graphql.schema.CoercingSerializeException;
import graphql.schema.GraphQLScalarType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.LongDigits;

/// The scalars for types that MongoDB has and GraphQL lacks. Values stay BSON; responses contain them in the default
/// JSON mode.
final class BsonScalars {
    static final List<String> NAMES =
            List.of("ObjectId", "Decimal128", "Timestamp", "DateTime", "Regex", "Long", "BsonDocument");

    private BsonScalars() {}

    /// @param strict refuse values that would have to be widened
    static List<GraphQLScalarType> all(boolean strict) {
        return NAMES.stream()
                .map(name -> GraphQLScalarType.newScalar()
                        .name(name)
                        .coercing(new BsonCoercing(name, strict))
                        .build())
                .toList();
    }

    private record BsonCoercing(String name, boolean strict) implements Coercing<BsonValue, BsonValue> {

        @Override
        public BsonValue serialize(Object stored, GraphQLContext context, Locale locale) {
            if (stored instanceof BsonValue value) {
                var shown = shown(value);
                if (shown != null) {
                    return shown;
                }
                throw new CoercingSerializeException(
                        "a value of type " + value.getBsonType().name().toLowerCase(Locale.ROOT) + " is not a " + name);
            }
            throw new CoercingSerializeException("not a value of the database");
        }

        private @Nullable BsonValue shown(BsonValue value) {
            boolean fits = switch (name) {
                case "ObjectId" -> value.isObjectId();
                case "Decimal128" -> value.isDecimal128();
                case "Timestamp" -> value.isTimestamp();
                case "DateTime" -> value.isDateTime();
                case "Regex" -> value.isRegularExpression();
                case "Long" -> value.isInt64();
                default -> value.isDocument() || (!strict && value.isArray());
            };
            if (fits) {
                return value;
            }
            return name.equals("Long") && value.isInt32() && !strict
                    ? new BsonInt64(value.asInt32().getValue())
                    : null;
        }

        @Override
        public BsonValue parseValue(Object input, GraphQLContext context, Locale locale) {
            return parsed(input).orElseThrow(() -> new CoercingParseValueException(refusal()));
        }

        @Override
        public BsonValue parseLiteral(
                Value<?> input, CoercedVariables variables, GraphQLContext context, Locale locale) {
            try {
                return parsed(literal(input, variables.toMap(), 0))
                        .orElseThrow(() -> new CoercingParseLiteralException(refusal()));
            } catch (NumberFormatException _) { // a number within has more digits than any type of BSON
                throw new CoercingParseLiteralException(refusal());
            }
        }

        @Override
        public Value<?> valueToLiteral(Object input, GraphQLContext context, Locale locale) {
            return StringValue.of(
                    input instanceof BsonValue value
                            ? JsonEncoder.of(JsonMode.EXTENDED).encodeToString(value)
                            : String.valueOf(input));
        }

        private String refusal() {
            return "not a " + name + ", which is "
                    + switch (name) {
                        case "ObjectId" -> "a text of 24 hexadecimal digits";
                        case "Decimal128" -> "a number, or a text such as \"1.50\"";
                        case "Timestamp" -> "seconds since 1970, \"seconds:increment\", or {t, i}";
                        case "DateTime" ->
                            "a text such as \"2026-01-31\" or \"2026-01-31T12:00:00Z\", or milliseconds since 1970";
                        case "Regex" -> "the text of a regular expression";
                        case "Long" -> "an integer of at most 64 bits, or its text";
                        default -> "an object";
                    };
        }

        private Optional<BsonValue> parsed(@Nullable Object input) {
            try {
                return Optional.ofNullable(
                        switch (name) {
                            case "ObjectId" -> objectId(input);
                            case "Decimal128" -> decimal(input);
                            case "Timestamp" -> timestamp(input);
                            case "DateTime" -> dateTime(input);
                            case "Regex" -> regex(input);
                            case "Long" -> longNumber(input);
                            default -> input instanceof Map<?, ?> ? Arguments.toBson(input) : null;
                        });
            } catch (IllegalArgumentException | ArithmeticException | DateTimeException _) {
                return Optional.empty();
            }
        }

        private static @Nullable BsonValue objectId(@Nullable Object input) {
            return switch (input) {
                case BsonObjectId id -> id;
                case String hex -> new BsonObjectId(new ObjectId(hex));
                case null, default -> null;
            };
        }

        private static @Nullable BsonValue decimal(@Nullable Object input) {
            return switch (input) {
                case BsonDecimal128 number -> number;
                case Number number -> new BsonDecimal128(new Decimal128(new BigDecimal(number.toString())));
                case String text -> new BsonDecimal128(LongDigits.decimal128(text));
                case null, default -> null;
            };
        }

        /// Seconds, `seconds:increment`, or `{t, i}`.
        private static @Nullable BsonValue timestamp(@Nullable Object input) {
            return switch (input) {
                case BsonTimestamp timestamp -> timestamp;
                case Number number -> timestamp(new BigDecimal(number.toString()).longValueExact(), 0);
                case String text -> {
                    var parts = text.split(":", 2);
                    yield timestamp(Long.parseLong(parts[0]), parts.length == 1 ? 0 : Long.parseLong(parts[1]));
                }
                case Map<?, ?> map
                when map.get("t") instanceof Number t && map.get("i") instanceof Number i ->
                    timestamp(t.longValue(), i.longValue());
                case null, default -> null;
            };
        }

        private static BsonTimestamp timestamp(long seconds, long increment) {
            long max = (1L << 32) - 1;
            if (seconds < 0 || increment < 0 || seconds > max || increment > max) {
                throw new IllegalArgumentException("out of range");
            }
            return new BsonTimestamp((int) seconds, (int) increment);
        }

        /// ISO 8601 with an offset, a date for its beginning in UTC, or milliseconds.
        private static @Nullable BsonValue dateTime(@Nullable Object input) {
            return switch (input) {
                case BsonDateTime date -> date;
                case Number number -> new BsonDateTime(new BigDecimal(number.toString()).longValueExact());
                case String text when text.matches("-?\\d{1,18}") -> new BsonDateTime(Long.parseLong(text));
                case String text
                when text.length() == "2026-01-31".length() ->
                    new BsonDateTime(LocalDate.parse(text)
                            .atStartOfDay(ZoneOffset.UTC)
                            .toInstant()
                            .toEpochMilli());
                case String text ->
                    new BsonDateTime(OffsetDateTime.parse(text).toInstant().toEpochMilli());
                case null, default -> null;
            };
        }

        private static @Nullable BsonValue regex(@Nullable Object input) {
            return switch (input) {
                case BsonRegularExpression regex -> regex;
                case String pattern -> new BsonRegularExpression(pattern);
                case null, default -> null;
            };
        }

        private static @Nullable BsonValue longNumber(@Nullable Object input) {
            return switch (input) {
                case BsonInt64 number -> number;
                case Number number -> new BsonInt64(new BigDecimal(number.toString()).longValueExact());
                case String text -> new BsonInt64(Long.parseLong(text));
                case null, default -> null;
            };
        }

        /// The value of a literal, in the form of a variable's value.
        private @Nullable Object literal(Value<?> value, Map<String, Object> variables, int depth) {
            if (depth > 100) {
                throw new CoercingParseLiteralException("nested too deeply");
            }
            return switch (value) {
                case NullValue _ -> depth == 0 ? null : BsonNull.VALUE;
                case StringValue text -> depth == 0 ? text.getValue() : new BsonString(text.getValue());
                case BooleanValue truth -> BsonBoolean.valueOf(truth.isValue());
                case IntValue number -> depth == 0 ? number.getValue() : integer(number.getValue());
                case FloatValue number -> depth == 0 ? number.getValue() : floating(number.getValue());
                case EnumValue symbol -> depth == 0 ? null : new BsonString(symbol.getName());
                case VariableReference reference -> Arguments.toBson(variables.get(reference.getName()));
                case ArrayValue array -> {
                    var elements = new BsonArray();
                    for (Value<?> element : array.getValues()) {
                        elements.add(Arguments.toBson(literal(element, variables, depth + 1)));
                    }
                    yield elements;
                }
                case ObjectValue object -> {
                    var document = new BsonDocument();
                    for (var field : object.getObjectFields()) {
                        document.append(
                                field.getName(), Arguments.toBson(literal(field.getValue(), variables, depth + 1)));
                    }
                    yield name.equals("Timestamp") && depth == 0 ? Arguments.variables(document) : document;
                }
                default -> null;
            };
        }

        private static BsonValue integer(BigInteger number) {
            return number.bitLength() < 32 ? new BsonInt32(number.intValue()) : Arguments.toBson(number);
        }

        private static BsonValue floating(BigDecimal number) {
            return new BsonDouble(number.doubleValue());
        }
    }
}
