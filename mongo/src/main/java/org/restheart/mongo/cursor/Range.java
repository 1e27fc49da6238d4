package org.restheart.mongo.cursor;

import com.mongodb.ServerAddress;
import java.util.List;
import org.bson.RawBsonDocument;

/// A piece of a result, read at one time. Immutable.
///
/// @param start position of the first document
/// @param complete whether the result ends here
/// @param bytes in memory
/// @param readAt before reading began, in [System#nanoTime()]
/// @param writes what [Writes#until] said before reading began
/// @param from who answered
record Range(
        long start,
        List<RawBsonDocument> documents,
        boolean complete,
        long bytes,
        long readAt,
        long writes,
        ServerAddress from) {

    Range {
        documents = List.copyOf(documents);
    }

    boolean covers(long skip, int limit) {
        return start <= skip && (complete || skip + limit <= start + documents.size());
    }

    /// @param skip at or after the start
    List<RawBsonDocument> slice(long skip, int limit) {
        int begin = (int) Math.min(skip - start, documents.size());
        return documents.subList(begin, Math.min(documents.size(), begin + limit));
    }
}
