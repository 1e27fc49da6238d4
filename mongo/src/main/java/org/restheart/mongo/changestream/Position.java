package org.restheart.mongo.changestream;

import org.bson.BsonDocument;

/// Compares resume tokens of one deployment: their `_data` is a key string in hexadecimal digits, whose order is the
/// order of events. See "Resume Tokens" in the MongoDB manual.
final class Position {
    private Position() {}

    /// Whether everything up to `target` has been seen at `token`.
    static boolean reaches(BsonDocument token, BsonDocument target) {
        return data(token).compareTo(data(target)) >= 0;
    }

    private static String data(BsonDocument token) {
        return token.getString("_data").getValue();
    }
}
