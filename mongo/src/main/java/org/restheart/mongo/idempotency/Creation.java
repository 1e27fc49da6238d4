package org.restheart.mongo.idempotency;

import java.util.function.Supplier;
import org.bson.BsonObjectId;
import org.bson.types.ObjectId;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.DataRequest;

/// Handles a request that writes new documents. Thread-safe.
@FunctionalInterface
public interface Creation {
    /// The tag and missing ids of the new documents of one request.
    ///
    /// @param sequence the ids for the documents that have none, in their order
    /// @param mayRepeat whether an earlier attempt without response may have written the same documents, with the
    ///     same ids and tag. A duplicate id is then not an error if the tag is the same.
    /// @param leftOut called when documents of the request were left out that may be written later: those who
    ///     repeat it want it to be carried out again
    record NewIds(ObjectId etag, Supplier<BsonObjectId> sequence, boolean mayRepeat, Runnable leftOut) {
        public static NewIds fresh() {
            return new NewIds(new ObjectId(), BsonObjectId::new, false, () -> {});
        }
    }

    Response handle(DataRequest request, NewIds ids);
}
