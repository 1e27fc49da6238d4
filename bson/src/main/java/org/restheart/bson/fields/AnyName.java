package org.restheart.bson.fields;

import java.util.function.Predicate;
import org.bson.BsonValue;

/// Searches the names in a value, at any depth.
public final class AnyName {
    private AnyName() {}

    /// Whether one of the names fulfils the condition.
    public static boolean in(BsonValue value, Predicate<String> condition) {
        if (value.isDocument()) {
            for (var member : value.asDocument().entrySet()) {
                if (condition.test(member.getKey()) || in(member.getValue(), condition)) {
                    return true;
                }
            }
        } else if (value.isArray()) {
            for (var element : value.asArray()) {
                if (in(element, condition)) {
                    return true;
                }
            }
        }
        return false;
    }
}
