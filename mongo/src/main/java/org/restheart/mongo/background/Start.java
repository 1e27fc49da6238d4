package org.restheart.mongo.background;

import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.MongoClient;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonTimestamp;

/// Where a cursor begins.
public sealed interface Start {
    <T> ChangeStreamIterable<T> applyTo(ChangeStreamIterable<T> stream);

    /// After the event with this token, or after what was known to be free of events.
    record After(BsonDocument token) implements Start {
        @Override
        public <T> ChangeStreamIterable<T> applyTo(ChangeStreamIterable<T> stream) {
            return stream.resumeAfter(token);
        }
    }

    /// With the first event at this time or later.
    record At(BsonTimestamp time) implements Start {
        @Override
        public <T> ChangeStreamIterable<T> applyTo(ChangeStreamIterable<T> stream) {
            return stream.startAtOperationTime(time);
        }
    }

    /// When MongoDB gets to it.
    record Anywhere() implements Start {
        @Override
        public <T> ChangeStreamIterable<T> applyTo(ChangeStreamIterable<T> stream) {
            return stream;
        }
    }

    /// After everything that MongoDB has acknowledged by now. A cursor that breaks before it has told a token can so
    /// be replaced by one that misses nothing.
    static Start now(MongoClient client) {
        var reply =
                client.getDatabase("admin").runCommand(new BsonDocument("ping", new BsonInt32(1)), BsonDocument.class);
        return reply.get("operationTime") instanceof BsonTimestamp last
                ? new At(new BsonTimestamp(last.getTime(), last.getInc() + 1))
                : new Anywhere(); // no replica set: there will be no cursor
    }
}
