package org.restheart.rest.idempotency;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import org.bson.BsonObjectId;
import org.bson.types.ObjectId;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.attribute.Attributes;
import org.restheart.http.attribute.Key;
import org.restheart.rest.exchange.DataRequest;

/// Handles a request that writes new documents. Thread-safe.
@FunctionalInterface
public interface Creation {
    /// The tag and missing ids of the new documents of one request.
    ///
    /// @param sequence the ids for the documents that have none, in their order
    /// @param mayRepeat whether an earlier attempt without response may have written the same documents, with the
    ///     same ids and tag. A duplicate id is then not an error if the tag is the same.
    /// @param firstAttempt when that was, if documents that somebody else has changed since are not replaced
    /// @param most time for all writes together, if somebody may repeat them then
    /// @param leftOut called when documents of the request were left out that may be written later: those who
    ///     repeat it want it to be carried out again
    record NewIds(
            ObjectId etag,
            Supplier<BsonObjectId> sequence,
            boolean mayRepeat,
            Optional<Instant> firstAttempt,
            Optional<Duration> most,
            Runnable leftOut) {
        private static final Key<NewIds> KEY = Key.named("new ids");

        /// Those of a request, which are new unless it is sent again.
        public static NewIds of(Request request) {
            return request.attribute(KEY).orElseGet(() -> ofTag(new ObjectId(), false, Optional.empty()));
        }

        /// An option of a request inside the process that may be sent again. Its documents have ids.
        ///
        /// @param firstAttempt when it was sent first; empty now
        public static Attributes again(ObjectId tag, Optional<Instant> firstAttempt) {
            return Attributes.NONE.with(KEY, ofTag(tag, true, firstAttempt));
        }

        private static NewIds ofTag(ObjectId tag, boolean mayRepeat, Optional<Instant> firstAttempt) {
            return new NewIds(tag, BsonObjectId::new, mayRepeat, firstAttempt, Optional.empty(), () -> {});
        }
    }

    Response handle(DataRequest request, NewIds ids);
}
