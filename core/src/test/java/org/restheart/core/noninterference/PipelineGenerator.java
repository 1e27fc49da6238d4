package org.restheart.core.noninterference;

import static org.restheart.core.noninterference.ValueGenerator.array;
import static org.restheart.core.noninterference.ValueGenerator.document;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;

/// Generates ad-hoc pipelines on a collection, sorted first: the order of documents is otherwise undefined.
record PipelineGenerator(
        RandomSource random,
        ValueGenerator values,
        FilterGenerator filters,
        ExpressionGenerator expressions,
        String collection) {

    BsonArray pipeline() {
        var stages = array(document("$sort", document("_id", new BsonInt32(1))));
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            stages.add(stage());
        }
        return stages;
    }

    private BsonDocument stage() {
        return switch (random.nextInt(15)) {
            case 0, 1, 2, 3 -> document("$match", filters.filter());
            case 4 -> document("$set", document(random.pick("x", "v", "_id"), expressions.expression()));
            case 5 -> document("$project", document(random.pick("x", "v"), expressions.expression()));
            case 6 -> document("$unset", new BsonString(values.path()));
            case 7 -> document("$replaceWith", expressions.expression());
            case 8 ->
                document(
                        "$group",
                        document("_id", BsonNull.VALUE)
                                .append("x", document(random.pick("$sum", "$max", "$push"), expressions.expression())));
            case 9 -> document("$count", new BsonString("n"));
            case 10 -> document("$unwind", new BsonString("$" + values.path()));
            case 11 -> document("$facet", document("f", array(document("$match", filters.filter()))));
            case 12 -> document(random.pick("$limit", "$skip"), values.number());
            case 13 ->
                document(
                        random.pick("$indexStats", "$collStats", "$mergeCursors", "$_internalInhibitOptimization"),
                        new BsonDocument());
            default ->
                BsonDocument.parse("{$lookup: {from: '%s', pipeline: [], as: 'x'}}"
                        .formatted(random.pick("users", "vault", "_properties", collection)));
        };
    }
}
