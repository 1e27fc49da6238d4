package org.restheart.bson;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
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
import org.jspecify.annotations.Nullable;

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
            case BsonDocument document -> copy(document, (_, member) -> each.apply(member));
            case BsonArray array -> new BsonArray(array.stream().map(each).toList());
            default -> value;
        };
    }

    /// A copy of an object with something else for each of its members.
    ///
    /// @param each gets the name of the member, too
    public static BsonDocument copy(BsonDocument document, BiFunction<String, BsonValue, BsonValue> each) {
        var copy = new BsonDocument(document.size());
        document.forEach((name, member) -> copy.append(name, each.apply(name, member)));
        return copy;
    }

    /// A copy with other names.
    public static BsonDocument renamed(BsonDocument document, UnaryOperator<String> name) {
        var renamed = new BsonDocument(document.size());
        document.forEach((old, member) -> renamed.append(name.apply(old), member));
        return renamed;
    }

    /// Where one value or an array of several may stand: the elements of an array, or the value; none of null.
    public static List<BsonValue> several(@Nullable BsonValue value) {
        return switch (value) {
            case null -> List.of();
            case BsonArray array -> array;
            default -> List.of(value);
        };
    }

    /// Whether a projection shows a field that it maps to the value: a number other than zero, or true.
    public static boolean isOn(BsonValue value) {
        return value.isNumber() ? value.asNumber().doubleValue() != 0 : BsonBoolean.TRUE.equals(value);
    }

    /// Whether a projection hides a field that it maps to the value: zero, or false.
    public static boolean isOff(BsonValue value) {
        return value.isNumber() ? value.asNumber().doubleValue() == 0 : BsonBoolean.FALSE.equals(value);
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
