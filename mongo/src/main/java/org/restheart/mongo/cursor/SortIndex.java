package org.restheart.mongo.cursor;

import com.mongodb.ExplainVerbosity;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.find.DriverFinder.IndexRange;
import org.restheart.mongo.find.Projection;

/// An index with the order of a query's sort, or the opposite one.
///
/// @param pattern the key pattern; contains `_id`, so no two documents have the same key
record SortIndex(BsonDocument pattern, boolean reverse) {
    /// Options by which an index excludes documents or orders them differently from a plain sort.
    private static final Set<String> UNFIT =
            Set.of("partialFilterExpression", "sparse", "collation", "hidden", "clustered", "wildcardProjection");

    private static final int BAD_VALUE = 2;

    /// Whether the index may be missing. If the query is invalid, it fails again without the index.
    static boolean mayBeGone(MongoCommandException e) {
        return e.getErrorCode() == BAD_VALUE || e.getErrorCode() == MongoCodes.INDEX_NOT_FOUND;
    }

    /// The index with the order of the sort. Empty if the sort is not total, or no index has it. Blocks for MongoDB.
    ///
    /// @throws MongoException also if the collection is a view
    static Optional<SortIndex> find(MongoClient client, MongoNamespace namespace, BsonDocument sort) {
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

    /// Whether the index is not multikey: a document with an array has several keys, one of which determines its
    /// position in a sort.
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
            return plan.asArray().stream().anyMatch(SortIndex::sortsOrHasArrays);
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
        return sorts || arrays || stage.values().stream().anyMatch(SortIndex::sortsOrHasArrays);
    }
    /// The index with this key pattern, if it has the sort order.
    static Optional<SortIndex> matching(BsonDocument sort, BsonDocument pattern) {
        if (!new ArrayList<>(sort.keySet()).equals(new ArrayList<>(pattern.keySet()))) {
            return Optional.empty();
        }
        int opposite = 0;
        for (var field : sort.entrySet()) {
            int wanted = direction(field.getValue());
            int actual = direction(pattern.get(field.getKey(), BsonNull.VALUE));
            if (wanted == 0 || actual == 0) {
                return Optional.empty();
            }
            opposite += wanted == actual ? 0 : 1;
        }
        return opposite == 0 || opposite == sort.size()
                ? Optional.of(new SortIndex(pattern, opposite > 0))
                : Optional.empty();
    }

    /// 1 or -1; 0 for other values, such as the score of a text search.
    static int direction(BsonValue value) {
        return value.isNumber() ? (int) Math.signum(value.asNumber().doubleValue()) : 0;
    }

    IndexRange from(BsonDocument key) {
        return new IndexRange(pattern, reverse, key);
    }

    /// Whether projected documents still contain the index key unchanged.
    boolean isVisibleIn(Projection projection) {
        if (projection.equals(Projection.ALL)) {
            return pattern.keySet().stream().noneMatch(field -> field.contains("."));
        }
        return pattern.size() == 1
                && !projection.isStaged()
                && projection.single().entrySet().stream()
                        .allMatch(field -> !field.getKey().startsWith("_id") || isIdItself(field));
    }

    private static boolean isIdItself(Map.Entry<String, BsonValue> shown) {
        return shown.getKey().equals("_id")
                && shown.getValue().isNumber()
                && shown.getValue().asNumber().intValue() != 0;
    }

    /// The key of a projected document; empty for values that an index stores in another form.
    Optional<BsonDocument> keyOf(BsonDocument document) {
        var key = new BsonDocument();
        for (var field : pattern.keySet()) {
            var value = document.get(field, BsonNull.VALUE); // the index key of a missing field
            if (value.isArray() || value.getBsonType() == BsonType.UNDEFINED) {
                return Optional.empty();
            }
            key.append(field, value);
        }
        return Optional.of(key);
    }
}
