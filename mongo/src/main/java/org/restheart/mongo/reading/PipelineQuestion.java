package org.restheart.mongo.reading;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.restheart.mongo.find.QueryKey;

/// A question for the results of a pipeline that reads. Immutable by agreement.
///
/// @param stages at least one
/// @param limit at most so many results; 0 for all
/// @param timeLimit zero for none
/// @param rights in whose name it is asked
public record PipelineQuestion(
        MongoNamespace namespace,
        List<BsonDocument> stages,
        boolean allowDiskUse,
        int limit,
        Duration timeLimit,
        ReadRights rights) {
    public PipelineQuestion {
        stages = List.copyOf(stages);
    }

    /// The stages behind what the rights leave of the collection.
    ///
    /// @throws org.restheart.http.ProblemException 403 for stages that write, or that see more than that
    List<BsonDocument> permitted() {
        rights.check(stages);
        var permitted = new ArrayList<>(rights.stages());
        permitted.addAll(stages);
        if (limit > 0) {
            permitted.add(new BsonDocument("$limit", new BsonInt32(limit)));
        }
        return permitted;
    }

    /// What decides the answer.
    public QueryKey key() {
        return addTo(QueryKey.of(namespace)).key();
    }

    QueryKey.Parts addTo(QueryKey.Parts parts) {
        return rights.addTo(parts.add("pipeline")
                .add(new BsonArray(stages))
                .add(allowDiskUse ? 1 : 0)
                .add(limit)
                .add(timeLimit.toNanos()));
    }
}
