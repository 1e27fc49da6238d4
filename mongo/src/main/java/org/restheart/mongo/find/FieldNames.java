package org.restheart.mongo.find;

import java.util.List;
import java.util.stream.Stream;
import org.bson.BsonDocument;

/// Stages that compute the names of top-level fields of documents.
final class FieldNames {
    private static final List<BsonDocument> COLLECT = List.of(
            BsonDocument.parse(
                    "{$project: {_id: 0, name: {$map: {input: {$objectToArray: '$$ROOT'}, in: '$$this.k'}}}}"),
            BsonDocument.parse("{$unwind: {path: '$name', includeArrayIndex: 'place'}}"),
            BsonDocument.parse("{$group: {_id: '$name', place: {$avg: '$place'}}}"),
            BsonDocument.parse("{$set: {place: {$cond: [{$eq: ['$_id', '_id']}, -1, '$place']}}}"),
            BsonDocument.parse("{$sort: {place: 1, _id: 1}}"));

    private FieldNames() {}

    static List<BsonDocument> stages(int limit) {
        return Stream.concat(COLLECT.stream(), Stream.of(BsonDocument.parse("{$limit: " + limit + "}")))
                .toList();
    }
}
