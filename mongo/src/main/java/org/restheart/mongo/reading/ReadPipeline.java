package org.restheart.mongo.reading;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.restheart.mongo.find.QueryKey;

/// A reading pipeline with its read rights. Immutable by agreement.
///
/// @param stages at least one
/// @param limit most results; 0 for all
/// @param timeLimit zero for none
/// @param rights with which it is run
public record ReadPipeline(
        MongoNamespace namespace,
        List<BsonDocument> stages,
        boolean allowDiskUse,
        int limit,
        Duration timeLimit,
        ReadRights rights)
        implements CombinedReads.DocumentRead {
    public ReadPipeline {
        stages = List.copyOf(stages);
    }

    /// The stages after those that enforce the rights.
    ///
    /// @throws org.restheart.http.ProblemException 403 for stages that write or read beyond the rights
    List<BsonDocument> permitted() {
        rights.check(stages);
        var permitted = new ArrayList<>(rights.stages());
        permitted.addAll(stages);
        if (limit > 0) {
            permitted.add(new BsonDocument("$limit", new BsonInt32(limit)));
        }
        return permitted;
    }

    @Override
    public QueryKey.Parts addTo(QueryKey.Parts parts) {
        return rights.addTo(parts.add("pipeline")
                .add(new BsonArray(stages))
                .add(allowDiskUse ? 1 : 0)
                .add(limit)
                .add(timeLimit.toNanos()));
    }
}
