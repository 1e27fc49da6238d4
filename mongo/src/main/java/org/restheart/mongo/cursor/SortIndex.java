package org.restheart.mongo.cursor;

import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.restheart.mongo.find.IndexRange;
import org.restheart.mongo.find.Projection;

/// An index that has a query's documents in the order of its sort, or in the opposite one.
///
/// @param pattern the key pattern; contains `_id`, so no two documents have the same key
record SortIndex(BsonDocument pattern, boolean reverse) {
    /// The index with this key pattern, if it has the order of the sort.
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

    /// 1 or -1; 0 for what is no plain direction, such as the score of a text search.
    static int direction(BsonValue value) {
        return value.isNumber() ? (int) Math.signum(value.asNumber().doubleValue()) : 0;
    }

    IndexRange from(Optional<? extends BsonDocument> key) {
        return new IndexRange(pattern, reverse, key);
    }

    /// Whether documents that are shown in this way still have the values that the index has of them.
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

    /// The key of a document with visible fields; empty for values that an index has in another form.
    Optional<BsonDocument> keyOf(BsonDocument document) {
        var key = new BsonDocument();
        for (var field : pattern.keySet()) {
            var value = document.get(field, BsonNull.VALUE); // what an index has for a missing field
            if (value.isArray() || value.getBsonType() == BsonType.UNDEFINED) {
                return Optional.empty();
            }
            key.append(field, value);
        }
        return Optional.of(key);
    }
}
