package org.restheart.bson.fields;

import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;

/// Searches the names in a value, at any depth.
public final class AnyName {
    private AnyName() {}

    /// Whether one of the names fulfils the condition.
    public static boolean in(BsonValue value, Predicate<String> condition) {
        return (value instanceof BsonDocument document
                        && document.keySet().stream().anyMatch(condition))
                || BsonValues.within(value).anyMatch(child -> in(child, condition));
    }
}
