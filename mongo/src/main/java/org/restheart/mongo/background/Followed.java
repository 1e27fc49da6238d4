package org.restheart.mongo.background;

import com.mongodb.client.ChangeStreamIterable;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;

/// The source of a change stream.
public interface Followed {
    /// For the log.
    String name();

    /// The stages that select and transform events.
    List<BsonDocument> pipeline();

    /// The changes after these stages, with the default options.
    ChangeStreamIterable<RawBsonDocument> watch(List<BsonDocument> stages);

    /// The options that the pipeline relies on.
    default ChangeStreamIterable<RawBsonDocument> withOptions(ChangeStreamIterable<RawBsonDocument> stream) {
        return stream;
    }
}
