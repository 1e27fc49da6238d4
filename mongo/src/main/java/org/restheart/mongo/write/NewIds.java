package org.restheart.mongo.write;

import java.util.function.Supplier;
import org.bson.BsonObjectId;
import org.bson.types.ObjectId;

/// Where new documents get their tag and, if the client gives none, their ids from.
public interface NewIds {
    /// New ones each time.
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

    /// Of the documents that one request writes.
    ObjectId etag();

    /// The ids for the documents of one request that have none, in their order.
    Supplier<BsonObjectId> sequence();

    /// Whether the same documents, with the same ids and tag, may have been written by an earlier attempt that
    /// was not answered. A taken id is then no error if the tag is the same.
    boolean mayRepeat();
}
