package org.restheart.mongo.reading;

import com.mongodb.MongoNamespace;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.restheart.bson.fields.Operators;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.access.Grant;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.QueryKey;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.mongo.guard.ReadingStages;

/// The documents and fields that a query may read. Immutable by agreement.
///
/// @param readFilter only matching documents are visible
/// @param projection only these fields are visible
public record ReadRights(Optional<BsonDocument> readFilter, Optional<BsonDocument> projection) {
    /// Everything.
    public static final ReadRights ALL = new ReadRights(Optional.empty(), Optional.empty());

    public static ReadRights of(Grant grant) {
        return new ReadRights(grant.readFilter(), grant.projectResponse());
    }

    boolean isAll() {
        return readFilter.isEmpty() && projection.isEmpty();
    }

    /// A filter after that of the rights.
    ///
    /// @throws org.restheart.http.ProblemException 403 if MongoDB cannot evaluate it there
    StagedFilter filter(BsonDocument filter) {
        return StagedFilter.of(readFilter, List.of(filter));
    }

    /// The stages that restrict a collection to these rights.
    List<BsonDocument> stages() {
        var stages = new ArrayList<>(StagedFilter.stages(readFilter));
        stages.addAll(Projection.stages(projection));
        return stages;
    }

    /// @throws org.restheart.http.ProblemException 403 for stages that write, or that may read beyond these rights
    void check(List<BsonDocument> pipeline) {
        if (!isAll()) {
            ReadingStages.WITHIN_RULES.check(pipeline);
        }
        for (var stage : pipeline) {
            for (var name : stage.keySet()) {
                if (!Operators.READING_STAGES.contains(name)) {
                    throw new ProblemException(ProblemCode.FORBIDDEN, "the stage " + name + " is not allowed here");
                }
            }
        }
    }

    /// The key of these rights on a collection: equal only if the same documents and fields are visible.
    public QueryKey key(MongoNamespace namespace) {
        return addTo(QueryKey.of(namespace)).key();
    }

    QueryKey.Parts addTo(QueryKey.Parts parts) {
        return parts.add(readFilter).add(projection);
    }
}
