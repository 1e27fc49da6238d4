package org.restheart.http.judged;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.http.Request;
import org.restheart.http.attribute.Key;

/// What a judged request says about a write beyond what REST clients can say.
///
/// @param kind for a request about the documents that a filter matches: how many of them it means
/// @param receiver is told what was done, before the response is made; not for a write that is refused as a whole
public record DataWrite(Kind kind, Consumer<Report> receiver) {
    public static final Key<DataWrite> KEY = Key.named("write");

    /// How many documents a filter means.
    public enum Kind {
        /// All that match, or the one of the path.
        AS_REQUESTED,
        /// One that matches.
        ONE,
        /// One that matches; the content takes its place instead of changing it.
        REPLACE_ONE
    }

    /// What was done.
    ///
    /// @param modified documents that are not as they were, whatever their entity tag
    /// @param inserted the ids of inserted documents, in the request's order
    /// @param upserted the id of a document that was made because none matched
    /// @param errors of single documents, each with its `index` and a `message`
    public record Report(
            long matched,
            long modified,
            long deleted,
            List<BsonValue> inserted,
            Optional<BsonValue> upserted,
            List<BsonDocument> errors) {
        public static Report inserted(List<BsonValue> ids, List<BsonDocument> errors) {
            return new Report(0, 0, 0, ids, Optional.empty(), errors);
        }

        public static Report changed(long matched, long modified) {
            return new Report(matched, modified, 0, List.of(), Optional.empty(), List.of());
        }

        public static Report upserted(BsonValue id) {
            return new Report(0, 0, 0, List.of(), Optional.of(id), List.of());
        }

        public static Report deleted(long deleted) {
            return new Report(0, 0, deleted, List.of(), Optional.empty(), List.of());
        }
    }

    /// Tells whoever made the request, if it was made inside the process.
    public static void report(Request request, Report report) {
        request.attribute(KEY).ifPresent(write -> write.receiver().accept(report));
    }
}
