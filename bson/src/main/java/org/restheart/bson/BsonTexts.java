package org.restheart.bson;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/// Texts in BSON values.
public final class BsonTexts {
    private BsonTexts() {}

    public static BsonArray array(Collection<String> texts) {
        return new BsonArray(texts.stream().map(BsonString::new).toList());
    }

    /// Of a field; empty if it is absent or no text.
    public static Optional<String> of(BsonDocument document, String name) {
        return document.get(name) instanceof BsonString text ? Optional.of(text.getValue()) : Optional.empty();
    }

    /// Those in an array; values of other types are left out, and of anything but an array there are none.
    public static List<String> among(@Nullable BsonValue value) {
        return value instanceof BsonArray array
                ? array.stream()
                        .filter(BsonValue::isString)
                        .map(text -> text.asString().getValue())
                        .toList()
                : List.of();
    }

    /// The text, or those among the elements of an array; none of any other value.
    public static List<String> several(@Nullable BsonValue value) {
        return value instanceof BsonString text ? List.of(text.getValue()) : among(value);
    }

    /// The texts of an array of nothing else; empty for any other value.
    public static Optional<List<String>> only(@Nullable BsonValue value) {
        return value instanceof BsonArray array && array.stream().allMatch(BsonValue::isString)
                ? Optional.of(among(array))
                : Optional.empty();
    }
}
