package org.restheart.mongo.write;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.mongo.exchange.EntityTags;

/// Documents that are stored with a certain entity tag, by which the attempt that stored them is known.
public final class TaggedDocuments {
    private TaggedDocuments() {}

    /// Those of the ids whose documents have the tag; modifiable.
    public static Set<BsonValue> among(
            Collection<BsonValue> ids, MongoCollection<RawBsonDocument> collection, ObjectId tag) {
        var tagged = Filters.and(Filters.in("_id", ids), Filters.eq(EntityTags.FIELD, tag));
        var found = new HashSet<BsonValue>();
        for (var document : collection.find(tagged).projection(Projections.include("_id"))) {
            Optional.ofNullable(document.get("_id")).ifPresent(found::add);
        }
        return found;
    }
}
