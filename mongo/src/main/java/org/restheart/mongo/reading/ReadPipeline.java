package org.restheart.mongo.reading;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.restheart.bson.fields.Operators;
import org.restheart.data.Access;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.QueryKey;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.mongo.guard.ReadingStages;

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
        Access rights)
        implements CombinedReads.DocumentRead {
    public ReadPipeline {
        stages = List.copyOf(stages);
    }

    /// The stages after those that enforce the rights.
    ///
    /// @throws org.restheart.http.ProblemException 403 for stages that write or read beyond the rights
    List<BsonDocument> permitted() {
        if (!rights.showsAll()) {
            ReadingStages.WITHIN_RULES.check(stages);
        }
        stages.stream()
                .flatMap(stage -> stage.keySet().stream())
                .filter(name -> !Operators.READING_STAGES.contains(name))
                .forEach(name -> {
                    throw new ProblemException(ProblemCode.FORBIDDEN, "the stage " + name + " is not allowed here");
                });
        var permitted = stages(rights);
        permitted.addAll(stages);
        if (limit > 0) {
            permitted.add(new BsonDocument("$limit", new BsonInt32(limit)));
        }
        return permitted;
    }

    /// The stages that restrict a collection to what may be read.
    static List<BsonDocument> stages(Access rights) {
        var all = new ArrayList<>(StagedFilter.stages(rights.readFilter()));
        all.addAll(Projection.stages(rights.projectResponse()));
        return all;
    }

    @Override
    public QueryKey.Parts addTo(QueryKey.Parts parts) {
        return parts.add("pipeline")
                .add(new BsonArray(stages))
                .add(allowDiskUse ? 1 : 0)
                .add(limit)
                .add(timeLimit.toNanos())
                .add(rights);
    }
}
