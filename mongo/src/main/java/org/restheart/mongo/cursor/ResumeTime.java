package org.restheart.mongo.cursor;

import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonTimestamp;
import org.jspecify.annotations.Nullable;

/// Reads the time out of a resume token: MongoDB's documentation calls tokens opaque, but their beginning has been the
/// same since 4.0.7 (`src/mongo/db/pipeline/resume_token.h`: a key string in hexadecimal digits, of which the
/// first value is the cluster time).
final class ResumeTime {
    /// The key string's mark of a timestamp.
    private static final String TIMESTAMP = "82";

    private static final int DIGITS = 8;

    private ResumeTime() {}

    /// Empty if it is not known where the time is: nothing may then be taken for passed.
    static Optional<BsonTimestamp> of(@Nullable BsonDocument token) {
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
