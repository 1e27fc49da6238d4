package org.restheart.mongo.reading;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.data.Access;
import org.restheart.data.Namespace;
import org.restheart.data.Operation.Authorized;
import org.restheart.data.Operation.Get;
import org.restheart.mongo.coalescing.CanonicalId;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.QueryKey;
import org.restheart.mongo.find.ReadSettings;
import org.restheart.mongo.find.StagedFilter;

/// A query for documents with its read rights. Immutable by agreement.
///
/// @param sort empty for natural order
/// @param limit at least 1
/// @param timeLimit zero for none
/// @param rights with which it is run
public record ReadQuery(
        MongoNamespace namespace,
        BsonDocument filter,
        BsonDocument sort,
        int skip,
        int limit,
        Duration timeLimit,
        Access rights)
        implements CombinedReads.DocumentRead {
    public ReadQuery {
        if (limit < 1 || skip < 0) {
            throw new IllegalArgumentException("limit " + limit + ", skip " + skip);
        }
    }

    /// Characters of an id that is looked up together with others: a command has 16 MiB for all of them.
    private static final int LONG = 1_024;

    /// The `_id`, if the query is for one document by a short id of a distinguishable type.
    Optional<BsonValue> id() {
        var id = filter.size() == 1 && skip == 0 && rights.projectResponse().isEmpty() ? filter.get("_id") : null;
        return Optional.ofNullable(id)
                .filter(value ->
                        !(value instanceof BsonString text && text.getValue().length() > LONG))
                .filter(value -> CanonicalId.of(value).isPresent());
    }

    /// The read of the document that [#id()] names, in a plain collection.
    Authorized<Get> byId() {
        var on = new Namespace(namespace.getDatabaseName(), namespace.getCollectionName());
        return new Authorized<>(
                new Get(
                        on,
                        id().orElseThrow(),
                        List.of(),
                        new BsonDocument(),
                        settings().options()),
                rights,
                true);
    }

    FindQuery asFind() {
        return asFind(settings());
    }

    FindQuery asFind(ReadSettings settings) {
        return new FindQuery(
                namespace,
                StagedFilter.of(rights.readFilter(), List.of(filter)),
                projection(),
                sort,
                Optional.empty(),
                skip,
                limit,
                settings);
    }

    private Projection projection() {
        return Projection.of(rights.projectResponse(), new BsonDocument());
    }

    private ReadSettings settings() {
        return new ReadSettings(Optional.empty(), Optional.empty(), timeLimit);
    }

    /// This query as a pipeline.
    ReadPipeline asPipeline() {
        var stages = new ArrayList<BsonDocument>();
        stages.add(new BsonDocument("$match", filter));
        if (!sort.isEmpty()) {
            stages.add(new BsonDocument("$sort", sort));
        }
        if (skip > 0) {
            stages.add(new BsonDocument("$skip", new BsonInt32(skip)));
        }
        stages.add(new BsonDocument("$limit", new BsonInt32(limit)));
        return new ReadPipeline(namespace, stages, false, 0, timeLimit, rights);
    }

    @Override
    public QueryKey.Parts addTo(QueryKey.Parts parts) {
        parts.add("find").add(filter).add(sort).add(skip).add(limit);
        return parts.add(timeLimit.toNanos()).add(rights);
    }
}
