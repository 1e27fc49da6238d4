package org.restheart.bson;

import java.util.Collection;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

/// The values of which messages consist.
public final class BsonValues {
    private BsonValues() {}

    /// @param namesAndValues name, value, name, value …, values as of [#value]
    public static BsonDocument object(Object... namesAndValues) {
        var object = new BsonDocument();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.append((String) namesAndValues[i], value(namesAndValues[i + 1]));
        }
        return object;
    }

    /// @param values as of [#value]
    public static BsonArray array(Object... values) {
        var array = new BsonArray();
        for (var value : values) {
            array.add(value(value));
        }
        return array;
    }

    /// In 32 bits if it fits.
    public static BsonValue number(long number) {
        return number == (int) number ? new BsonInt32((int) number) : new BsonInt64(number);
    }

    /// The object in a field; empty if it is absent or something else.
    public static Optional<BsonDocument> object(BsonDocument document, String name) {
        return document.get(name) instanceof BsonDocument object ? Optional.of(object) : Optional.empty();
    }

    /// The members of an object, or the elements of an array.
    public static Stream<BsonValue> within(BsonValue value) {
        return switch (value) {
            case BsonDocument document -> document.values().stream();
            case BsonArray array -> array.stream();
            default -> Stream.empty();
        };
    }

    /// A copy of an object or an array with something else for each of its members or elements; another value itself.
    public static BsonValue copy(BsonValue value, UnaryOperator<BsonValue> each) {
        return switch (value) {
            case BsonDocument document -> {
                var copy = new BsonDocument(document.size());
                document.forEach((name, member) -> copy.append(name, each.apply(member)));
                yield copy;
            }
            case BsonArray array -> new BsonArray(array.stream().map(each).toList());
            default -> value;
        };
    }

    /// @param value BSON, a text, a number, a boolean, or a collection of such
    public static BsonValue value(Object value) {
        return switch (value) {
            case BsonValue bson -> bson;
            case String text -> new BsonString(text);
            case Integer number -> new BsonInt32(number);
            case Long number -> new BsonInt64(number);
            case Double number -> new BsonDouble(number);
            case Boolean flag -> BsonBoolean.valueOf(flag);
            case Collection<?> values -> array(values.toArray());
            default -> throw new IllegalArgumentException(value.getClass().getName());
        };
    }
}
