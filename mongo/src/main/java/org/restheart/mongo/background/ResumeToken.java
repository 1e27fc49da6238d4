package org.restheart.mongo.background;

import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonTimestamp;
import org.jspecify.annotations.Nullable;

/// Reads resume tokens of change streams. MongoDB's manual calls them opaque, but their `_data` has been the same since
/// 4.0.7 (`src/mongo/db/pipeline/resume_token.h`): a key string in hexadecimal digits, whose order is the order of
/// events, and whose first value is the cluster time.
public final class ResumeToken {
    /// The key string's mark of a timestamp.
    private static final String TIMESTAMP = "82";

    private static final int DIGITS = 8;

    private ResumeToken() {}

    /// Whether `token` is at or after `target`.
    public static boolean reaches(BsonDocument token, BsonDocument target) {
        return data(token).compareTo(data(target)) >= 0;
    }

    private static String data(BsonDocument token) {
        return token.getString("_data").getValue();
    }

    /// Empty if the format is unknown: no event may then be considered passed.
    public static Optional<BsonTimestamp> time(@Nullable BsonDocument token) {
        var data = token == null ? BsonNull.VALUE : token.get("_data", BsonNull.VALUE);
        if (!data.isString()) {
            return Optional.empty();
        }
        var text = data.asString().getValue();
        int seconds = TIMESTAMP.length();
        int increment = seconds + DIGITS;
        if (!text.startsWith(TIMESTAMP) || text.length() < increment + DIGITS) {
            return Optional.empty();
        }
        try {
            return Optional.of(new BsonTimestamp(
                    Integer.parseUnsignedInt(text, seconds, increment, 16),
                    Integer.parseUnsignedInt(text, increment, increment + DIGITS, 16)));
        } catch (NumberFormatException _) {
            return Optional.empty();
        }
    }
}
