package org.restheart.mongo.content;

import java.util.Set;
import org.restheart.http.Words;

/// Which keys of a request's content are update operators (MongoDB manual, "Update Operators").
final class UpdateOperators {
    static final String CURRENT_DATE = "$currentDate";
    static final String SET = "$set";
    static final String SET_ON_INSERT = "$setOnInsert";
    static final String RENAME = "$rename";

    /// Includes modifiers and operators of former versions, which MongoDB refuses with its own message.
    private static final Set<String> KNOWN = Words.of("""
        $inc $mul $rename $setOnInsert $set $unset $min $max $currentDate $addToSet $pop $pullAll $pull $pushAll
        $push $bit $ $[] $each $position $slice $sort $isolated
        """);

    private UpdateOperators() {}

    static boolean isOne(String key) {
        return KNOWN.contains(key);
    }
}
