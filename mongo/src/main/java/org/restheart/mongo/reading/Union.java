package org.restheart.mongo.reading;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.fields.AnyName;
import org.restheart.http.Words;

/// Combines several pipelines over one collection: each runs separately, with its own indexes, and marks its
/// results. The results are returned by one cursor, so that the document size limit does not apply to all of them
/// together. See "$unionWith" in the MongoDB manual.
final class Union {
    private static final String PART = "p";
    private static final String DOCUMENT = "d";

    /// Stages that are allowed only at the beginning of a top-level pipeline.
    private static final Set<String> ALONE = Words.of("""
        $where $near $nearSphere $text $geoNear $search $searchMeta $vectorSearch $documents $collStats
        $indexStats $planCacheStats $currentOp
        """);

    private Union() {}

    /// Whether a pipeline has the same results in a union as alone.
    static boolean takes(ReadPipeline query) {
        return query.stages().stream().noneMatch(stage -> AnyName.in(stage, ALONE::contains));
    }

    static List<BsonDocument> stages(List<ReadPipeline> queries) {
        var collection = new BsonString(queries.getFirst().namespace().getCollectionName());
        var stages = new ArrayList<BsonDocument>();
        for (int part = 0; part < queries.size(); part++) {
            var marked = new ArrayList<>(queries.get(part).permitted());
            marked.add(new BsonDocument(
                    "$replaceWith",
                    new BsonDocument(PART, new BsonDocument("$literal", new BsonInt32(part)))
                            .append(DOCUMENT, new BsonString("$$ROOT"))));
            if (part == 0) {
                stages.addAll(marked);
            } else {
                stages.add(new BsonDocument(
                        "$unionWith", new BsonDocument("coll", collection).append("pipeline", new BsonArray(marked))));
            }
        }
        return stages;
    }

    /// The results of each part, in order.
    static List<List<RawBsonDocument>> distribute(List<RawBsonDocument> results, int parts) {
        var distributed = new ArrayList<List<RawBsonDocument>>();
        for (int part = 0; part < parts; part++) {
            distributed.add(new ArrayList<>());
        }
        for (var result : results) {
            int part = RawDocuments.get(result, PART).orElseThrow().asInt32().getValue();
            distributed.get(part).add((RawBsonDocument)
                    RawDocuments.get(result, DOCUMENT).orElseThrow());
        }
        return distributed;
    }
}
