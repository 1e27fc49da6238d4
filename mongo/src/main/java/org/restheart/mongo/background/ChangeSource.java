package org.restheart.mongo.background;

import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.MongoClient;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonTimestamp;
import org.bson.RawBsonDocument;

/// The source of a change stream.
public interface ChangeSource {
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

    /// The position at which a cursor begins.
    sealed interface Start {
        /// After the event with this token, or after the position of a post-batch token.
        record After(BsonDocument token) implements Start {}

        /// With the first event at this time or later.
        record At(BsonTimestamp time) implements Start {}

        /// At the time when MongoDB opens the cursor.
        record Anywhere() implements Start {}

        default <T> ChangeStreamIterable<T> applyTo(ChangeStreamIterable<T> stream) {
            return switch (this) {
                case After(var token) -> stream.resumeAfter(token);
                case At(var time) -> stream.startAtOperationTime(time);
                case Anywhere() -> stream;
            };
        }

        /// After everything that MongoDB has acknowledged by now, so that a cursor that fails before its first token
        /// can be replaced without missing events.
        static Start now(MongoClient client) {
            var reply = client.getDatabase("admin")
                    .runCommand(new BsonDocument("ping", new BsonInt32(1)), BsonDocument.class);
            return reply.get("operationTime") instanceof BsonTimestamp last
                    ? new At(new BsonTimestamp(last.getTime(), last.getInc() + 1))
                    : new Anywhere(); // no replica set: opening the cursor will fail
        }
    }
}
