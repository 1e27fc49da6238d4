package org.restheart.mongo.idempotency;

import java.util.function.Supplier;
import org.bson.BsonObjectId;
import org.bson.types.ObjectId;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.DataRequest;

/// Handles a request that writes new documents. Thread-safe.
@FunctionalInterface
public interface Creation {
    Response handle(DataRequest request, NewIds ids);

    /// Supplies the tag and missing ids of new documents.
    interface NewIds {
        /// New ones for each request.
        NewIds FRESH = new NewIds() {
            @Override
            public ObjectId etag() {
                return new ObjectId();
            }

            @Override
            public Supplier<BsonObjectId> sequence() {
                return BsonObjectId::new;
            }

            @Override
            public boolean mayRepeat() {
                return false;
            }
        };

        /// The tag of the documents of one request.
        ObjectId etag();

        /// The ids for the documents of one request that have none, in their order.
        Supplier<BsonObjectId> sequence();

        /// Whether an earlier attempt without response may have written the same documents, with the same ids and
        /// tag. A duplicate id is then not an error if the tag is the same.
        boolean mayRepeat();

        /// Called when documents of the request were left out that may be written later: those who repeat it want it
        /// to be carried out again.
        default void leftOut() {}
    }
}
