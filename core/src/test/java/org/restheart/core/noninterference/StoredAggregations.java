package org.restheart.core.noninterference;

import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// Definitions of aggregations that every collection has.
final class StoredAggregations {
    private StoredAggregations() {}

    /// As metadata stores them: no key begins with a dollar or contains a dot.
    static List<BsonValue> escaped() {
        return all().stream().map(StoredAggregations::escape).toList();
    }

    private static BsonValue escape(BsonValue value) {
        if (value instanceof BsonDocument document) {
            var escaped = new BsonDocument();
            document.forEach(
                    (key, inner) -> escaped.put(key.replaceFirst("^\\$", "_\\$").replace(".", "::"), escape(inner)));
            return escaped;
        }
        return value instanceof BsonArray array
                ? new BsonArray(array.stream().map(StoredAggregations::escape).toList())
                : value;
    }

    private static List<BsonDocument> all() {
        return List.of(
                aggregation(
                        "all",
                        "[{$match: {$var: '@mongoPermissions.readFilter'}}, {$project: {secret: 0}},"
                                + " {$sort: {_id: 1}}]"),
                aggregation(
                        "by",
                        "[{$match: {$var: '@mongoPermissions.readFilter'}}, {$match: {v: {$var: ['x', 1]}}},"
                                + " {$project: {secret: 0}}, {$sort: {_id: 1}}]"),
                aggregation("key", "[{$match: {key: {$var: 'key'}}}, {$project: {_id: 1}}, {$sort: {_id: 1}}]"),
                aggregation(
                        "label",
                        "[{$match: {$var: '@mongoPermissions.readFilter'}},"
                                + " {$project: {open: 1, label: {$var: 'label'}}}, {$sort: {_id: 1}}]"),
                aggregation(
                        "look",
                        "[{$match: {$var: '@mongoPermissions.readFilter'}}, {$lookup: {from: 'users',"
                                + " localField: 'none', foreignField: 'none', as: 'u'}}, {$project: {u: 1}}, {$sort: {_id: 1}}]"),
                aggregation(
                        "sum",
                        "[{$match: {$var: '@mongoPermissions.readFilter'}}, {$match: {$expr: {$eq: [{$toInt:"
                                + " '$v'}, {$var: ['x', 1]}]}}}, {$project: {open: 1}}, {$sort: {_id: 1}}]"));
    }

    private static BsonDocument aggregation(String uri, String stages) {
        return BsonDocument.parse("{uri: '" + uri + "', type: 'pipeline'}")
                .append("stages", BsonDocument.parse("{s: " + stages + "}").get("s"));
    }
}
