package org.restheart.bson.fields;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// How a document changes (MongoDB manual, "Update Documents"). Immutable by agreement.
public sealed interface Update {
    /// @param document its keys are update operators; not empty
    record Operators(BsonDocument document) implements Update {}

    /// @param stages not empty
    record Pipeline(List<BsonDocument> stages) implements Update {
        public Pipeline {
            stages = List.copyOf(stages);
        }
    }

    /// What the content of a `PATCH` says: operators, other keys beside them as if in `$set`, an array as a pipeline.
    /// Elements of an array that are no documents are left out; handlers refuse them.
    static Update of(BsonValue content) {
        if (content instanceof BsonArray array) {
            var stages = new ArrayList<BsonDocument>(array.size());
            array.forEach(stage -> {
                if (stage instanceof BsonDocument document) {
                    stages.add(document);
                }
            });
            return new Pipeline(stages);
        }
        var set = new BsonDocument();
        var operators = new BsonDocument();
        if (content instanceof BsonDocument document) {
            for (Map.Entry<String, BsonValue> entry : document.entrySet()) {
                if (!entry.getKey().startsWith("$")) {
                    set.put(entry.getKey(), entry.getValue());
                } else if (entry.getKey().equals("$set") && entry.getValue() instanceof BsonDocument fields) {
                    set.putAll(fields);
                } else {
                    operators.put(entry.getKey(), entry.getValue());
                }
            }
        }
        if (!set.isEmpty()) {
            operators.put("$set", set);
        }
        return new Operators(operators);
    }
}
