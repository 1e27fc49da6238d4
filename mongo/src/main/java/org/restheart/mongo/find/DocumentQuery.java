package org.restheart.mongo.find;

import com.mongodb.MongoNamespace;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// A query for one document by its id. Immutable by agreement.
///
/// @param filter what else must match; empty for nothing
public record DocumentQuery(
        MongoNamespace namespace, BsonValue id, StagedFilter filter, Projection projection, ReadSettings settings) {

    /// The key of reads that may share a command: everything but the id.
    public QueryKey shapeKey() {
        return QueryKey.of(namespace).add(filter).add(projection).add(settings).key();
    }

    public DocumentQuery with(Projection projection) {
        return new DocumentQuery(namespace, id, filter, projection, settings);
    }

    StagedFilter idAndFilter() {
        return filter.and(new BsonDocument("_id", id));
    }
}
