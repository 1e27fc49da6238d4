package org.restheart.mongo.write;

import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import java.util.List;
import org.bson.RawBsonDocument;

/// Documents of one request to insert and where. Immutable.
///
/// @param documents at least one, each with its `_id` and at most as large as MongoDB takes
public record BulkInsert(MongoNamespace namespace, WriteConcern writeConcern, List<RawBsonDocument> documents) {
    public BulkInsert {
        documents = List.copyOf(documents);
    }
}
