package org.restheart.mongo.cursor;

import com.mongodb.ExplainVerbosity;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// Finds the index whose order is that of a sort. Waits for MongoDB. Thread-safe.
final class SortIndexes {
    /// Options that make an index leave documents out or put them into another order than a plain sort does.
    private static final Set<String> UNFIT =
            Set.of("partialFilterExpression", "sparse", "collation", "hidden", "clustered", "wildcardProjection");

    private static final int BAD_VALUE = 2;
    private static final int INDEX_NOT_FOUND = 27;

    private final MongoClient client;

    SortIndexes(MongoClient client) {
        this.client = client;
    }

    /// Whether it may be the index that MongoDB misses. If it was the query that is bad, MongoDB says so again without.
    static boolean mayBeGone(MongoCommandException e) {
        return e.getErrorCode() == BAD_VALUE || e.getErrorCode() == INDEX_NOT_FOUND;
    }

    /// Empty if the sort is no total order, or no index has it.
    ///
    /// @throws MongoException also if the collection is a view
    Optional<SortIndex> find(MongoNamespace namespace, BsonDocument sort) {
        if (!sort.containsKey("_id")) {
            return Optional.empty();
        }
        var collection = client.getDatabase(namespace.getDatabaseName())
                .getCollection(namespace.getCollectionName(), BsonDocument.class);
        for (var index : collection.listIndexes(BsonDocument.class)) {
            if (UNFIT.stream().noneMatch(index::containsKey)) {
                var fit = SortIndex.matching(sort, index.getDocument("key"));
                if (fit.isPresent()) {
                    return fit.filter(found -> sort.size() == 1 || hasOneKeyPerDocument(collection, sort, found));
                }
            }
        }
        return Optional.empty();
    }

    /// A document with an array has several keys, and its place in a sort is that of one of them.
    private static boolean hasOneKeyPerDocument(
            MongoCollection<BsonDocument> collection, BsonDocument sort, SortIndex index) {
        var plan = collection
                .find()
                .sort(sort)
                .hint(index.pattern())
                .limit(1)
                .explain(BsonDocument.class, ExplainVerbosity.QUERY_PLANNER);
        return !sortsOrHasArrays(plan);
    }

    private static boolean sortsOrHasArrays(BsonValue plan) {
        if (plan.isArray()) {
            return plan.asArray().stream().anyMatch(SortIndexes::sortsOrHasArrays);
        }
        if (!plan.isDocument()) {
            return false;
        }
        var stage = plan.asDocument();
        boolean sorts = stage.containsKey("stage")
                && stage.get("stage").isString()
                && stage.getString("stage").getValue().equals("SORT");
        boolean arrays = stage.containsKey("isMultiKey")
                && stage.get("isMultiKey").isBoolean()
                && stage.getBoolean("isMultiKey").getValue();
        return sorts || arrays || stage.values().stream().anyMatch(SortIndexes::sortsOrHasArrays);
    }
}
