package org.restheart.core.config;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
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

/// Converts values of the configuration to BSON, the common form of accounts and permissions.
final class SecurityValues {
    private SecurityValues() {}

    static BsonDocument document(Map<?, ?> map) {
        var document = new BsonDocument();
        map.forEach((key, value) -> document.append(String.valueOf(key), value(value)));
        return document;
    }

    private static BsonValue value(@Nullable Object value) {
        return switch (value) {
            case null -> BsonNull.VALUE;
            case Map<?, ?> map -> document(map);
            case List<?> list -> {
                var array = new BsonArray();
                list.forEach(member -> array.add(value(member)));
                yield array;
            }
            case String text -> new BsonString(text);
            case Boolean flag -> BsonBoolean.valueOf(flag);
            case Integer number -> new BsonInt32(number);
            case Long number -> new BsonInt64(number);
            case BigInteger number -> new BsonDecimal128(new Decimal128(new BigDecimal(number)));
            case Double number -> new BsonDouble(number);
            default -> new BsonString(value.toString());
        };
    }
}
