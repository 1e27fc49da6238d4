package org.restheart.mongo.write;

import java.util.List;
import org.bson.BsonDocument;

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
}
