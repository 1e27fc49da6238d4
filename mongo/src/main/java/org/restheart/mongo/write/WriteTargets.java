package org.restheart.mongo.write;

import com.mongodb.ReadPreference;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;

/// Reads for writes, from the primary. The results are not shown to clients.
public final class WriteTargets {
    private WriteTargets() {}

    /// The id of the first matching document.
    ///
    /// @param filter of a write: the access rule's and the client's
    public static Optional<BsonValue> firstId(SessionCollection collection, BsonDocument filter) {
        var found = collection
                .with(ReadPreference.primary())
                .find(filter)
                .projection(new BsonDocument("_id", new BsonInt32(1)))
                .first();
        return Optional.ofNullable(found).map(document -> document.get("_id"));
    }

    public static Optional<RawBsonDocument> document(SessionCollection collection, BsonValue id) {
        return Optional.ofNullable(
                collection.with(ReadPreference.primary()).find(Ids.equal(id)).first());
    }
}
