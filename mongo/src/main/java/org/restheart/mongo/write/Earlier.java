package org.restheart.mongo.write;

import static com.mongodb.client.model.Projections.include;

import com.mongodb.ReadPreference;
import com.mongodb.client.MongoCollection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.mongo.exchange.EntityTags;

/// Finds the writes of an earlier attempt of the same request.
public final class Earlier {
    private Earlier() {}

    /// The ids of documents that were written with the tag, which is unique to the request.
    public static Set<BsonValue> attemptWrote(
            MongoCollection<RawBsonDocument> collection, List<BsonValue> ids, ObjectId etag) {
        var filter = new BsonDocument("_id", new BsonDocument("$in", new BsonArray(ids)))
                .append(EntityTags.FIELD, new BsonObjectId(etag));
        var written = new HashSet<BsonValue>();
        collection
                .withReadPreference(ReadPreference.primary())
                .find(filter)
                .projection(include("_id"))
                .forEach(document -> written.add(document.get("_id")));
        return written;
    }
}
