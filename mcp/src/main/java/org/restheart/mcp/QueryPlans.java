package org.restheart.mcp;

import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/// Reduces MongoDB's query plans to stages, indexes and numbers, without data about the server.
final class QueryPlans {
    private static final Set<String> KEPT = Set.of(
            "queryPlanner",
            "winningPlan",
            "queryPlan",
            "stages",
            "$cursor",
            "stage",
            "inputStage",
            "inputStages",
            "indexName",
            "keyPattern",
            "direction",
            "isMultiKey",
            "isUnique",
            "isSparse",
            "executionStats",
            "executionStages",
            "nReturned",
            "executionTimeMillis",
            "totalKeysExamined",
            "totalDocsExamined",
            "keysExamined",
            "docsExamined");

    /// Members that contain the access rule's filter.
    private static final Set<String> WITH_FILTERS = Set.of("parsedQuery", "filter", "indexBounds");

    /// Members that a single hidden document can change: an index is multikey once any document has an array.
    private static final Set<String> OF_ALL_DOCUMENTS = Set.of("isMultiKey");

    private QueryPlans() {}

    /// @param hides whether filters and numbers of hidden documents are removed
    static BsonDocument shown(@Nullable BsonDocument plan, boolean hides) {
        return plan == null ? new BsonDocument() : object(plan, hides);
    }

    private static BsonDocument object(BsonDocument plan, boolean hides) {
        var shown = new BsonDocument();
        plan.forEach((name, value) -> {
            if (hides && OF_ALL_DOCUMENTS.contains(name)) {
                return;
            }
            if (KEPT.contains(name)) {
                shown.append(name, value(value, hides));
            } else if (WITH_FILTERS.contains(name)) {
                if (!hides) {
                    shown.append(name, value);
                }
            } else if (name.startsWith("$") && !name.equals("$clusterTime")) {
                shown.append(name, new BsonDocument()); // a stage of a pipeline, without its operand
            } else if (name.equals("rejectedPlans") && value instanceof BsonArray rejected) {
                shown.append(name, new BsonInt32(rejected.size()));
            }
        });
        return shown;
    }

    private static BsonValue value(BsonValue value, boolean hides) {
        if (value instanceof BsonDocument document) {
            return document.containsKey("stage") || document.keySet().stream().anyMatch(KEPT::contains)
                    ? object(document, hides)
                    : value;
        }
        if (value instanceof BsonArray array) {
            var shown = new BsonArray();
            array.forEach(element -> shown.add(value(element, hides)));
            return shown;
        }
        return value;
    }
}
