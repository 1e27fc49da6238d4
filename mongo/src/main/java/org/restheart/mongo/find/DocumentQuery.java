package org.restheart.mongo.find;

import com.mongodb.MongoNamespace;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.data.Operation.Authorized;
import org.restheart.data.Operation.Get;

/// A query for one document by its id. Immutable by agreement.
///
/// @param filter what else must match; empty for nothing
public record DocumentQuery(
        MongoNamespace namespace, BsonValue id, StagedFilter filter, Projection projection, ReadSettings settings) {

    /// @throws org.restheart.http.ProblemException 403 for filters and expressions that cannot be evaluated after the
    ///     rule's
    public static DocumentQuery of(Authorized<Get> read) {
        var get = read.operation();
        var access = read.access();
        StagedFilter.forbidMetadata(access.readFilter(), get.keys());
        return new DocumentQuery(
                new MongoNamespace(get.on().database(), get.on().collection()),
                get.id(),
                StagedFilter.ofOne(access.readFilter(), get.filters()),
                Projection.of(access.projectResponse(), get.keys()),
                ReadSettings.of(get.options()));
    }

    /// The key of reads that may share a command: everything but the id.
    public QueryKey shapeKey() {
        return QueryKey.of(namespace).add(filter).add(projection).add(settings).key();
    }

    /// Everything that must match.
    StagedFilter idAndFilter() {
        return filter.and(new BsonDocument("_id", id));
    }
}
