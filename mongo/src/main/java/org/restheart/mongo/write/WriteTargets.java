package org.restheart.mongo.write;

import com.mongodb.ReadPreference;
import com.mongodb.client.MongoCollection;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.mongo.exchange.EntityTags;

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

    /// The ids of documents with the tag, which is unique to the request: an earlier attempt of it wrote them.
    ///
    /// @return modifiable
    public static Set<BsonValue> written(
            MongoCollection<RawBsonDocument> collection, Collection<BsonValue> ids, ObjectId etag) {
        var filter = new BsonDocument("_id", new BsonDocument("$in", new BsonArray(List.copyOf(ids))))
                .append(EntityTags.FIELD, new BsonObjectId(etag));
        var written = new HashSet<BsonValue>();
        collection
                .withReadPreference(ReadPreference.primary())
                .find(filter)
                .projection(new BsonDocument("_id", new BsonInt32(1)))
                .forEach(document -> written.add(document.get("_id")));
        return written;
    }
}
