package org.restheart.graphql.app;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;

/// Converts variables and arguments between BSON and GraphQL's types.
public final class Arguments {
    private Arguments() {}

    /// The members of a request's `variables`. Values of types without a JSON equivalent are kept.
    public static Map<String, Object> variables(BsonDocument variables) {
        var all = new LinkedHashMap<String, Object>();
        variables.forEach((name, value) -> all.put(name, toJava(value)));
        return all;
    }

    @SuppressWarnings("NullAway") // null is a value of a map of variables
    private static Object toJava(BsonValue value) {
        return switch (value.getBsonType()) {
            case NULL -> null;
            case STRING -> value.asString().getValue();
            case BOOLEAN -> value.asBoolean().getValue();
            case INT32 -> value.asInt32().getValue();
            case INT64 -> value.asInt64().getValue();
            case DOUBLE -> value.asDouble().getValue();
            case DOCUMENT -> variables(value.asDocument());
            case ARRAY ->
                value.asArray().stream().map(Arguments::toJava).collect(Collectors.toCollection(ArrayList::new));
            default -> value;
        };
    }

    /// @throws IllegalArgumentException for values that no scalar produces
    public static BsonValue toBson(@Nullable Object value) {
        return switch (value) {
            case null -> BsonNull.VALUE;
            case BsonValue bson -> bson;
            case String text -> new BsonString(text);
            case Boolean truth -> BsonBoolean.valueOf(truth);
            case Integer number -> new BsonInt32(number);
            case Long number -> new BsonInt64(number);
            case Double number -> new BsonDouble(number);
            case java.math.BigInteger number when number.bitLength() < 64 -> new BsonInt64(number.longValue());
            case java.math.BigInteger number -> new BsonDecimal128(new Decimal128(new java.math.BigDecimal(number)));
            case java.math.BigDecimal number -> new BsonDecimal128(new Decimal128(number));
            case List<?> list -> {
                var array = new BsonArray();
                list.forEach(element -> array.add(toBson(element)));
                yield array;
            }
            case Map<?, ?> map -> {
                var document = new BsonDocument();
                map.forEach((name, member) -> document.append(String.valueOf(name), toBson(member)));
                yield document;
            }
            default -> throw new IllegalArgumentException("a value of no known type");
        };
    }
}
