package org.restheart.mongo.background;

import com.mongodb.client.ChangeStreamIterable;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;

/// What a change stream is of.
public interface Followed {
    /// For the log.
    String name();

    /// What decides which changes are told, and how.
    List<BsonDocument> pipeline();

    /// The changes after these stages, with the default options.
    ChangeStreamIterable<RawBsonDocument> watch(List<BsonDocument> stages);

    /// The options that the pipeline relies on.
    default ChangeStreamIterable<RawBsonDocument> withOptions(ChangeStreamIterable<RawBsonDocument> stream) {
        return stream;
    }
}
