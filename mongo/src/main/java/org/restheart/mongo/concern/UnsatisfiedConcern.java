package org.restheart.mongo.concern;

import com.mongodb.MongoWriteConcernException;
import com.mongodb.ServerAddress;
import com.mongodb.bulk.WriteConcernError;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;

/// Detects that the write concern of a command was not satisfied. The driver does that only for replies to its own
/// commands, not for those sent with `runCommand`.
public final class UnsatisfiedConcern {
    private UnsatisfiedConcern() {}

    /// Empty if the concern was satisfied.
    ///
    /// @param server for the log
    public static Optional<MongoWriteConcernException> in(BsonDocument reply, ServerAddress server) {
        var error = reply.getDocument("writeConcernError", new BsonDocument());
        if (error.isEmpty()) {
            return Optional.empty();
        }
        var labels = reply.getArray("errorLabels", new BsonArray()).stream()
                .map(label -> label.asString().getValue())
                .toList();
        return Optional.of(new MongoWriteConcernException(
                new WriteConcernError(
                        error.getNumber("code").intValue(),
                        text(error, "codeName"),
                        text(error, "errmsg"),
                        error.getDocument("errInfo", new BsonDocument())),
                null,
                server,
                labels));
    }

    /// @throws MongoWriteConcernException if the concern was not satisfied
    public static void refuse(BsonDocument reply) {
        in(reply, new ServerAddress()).ifPresent(e -> {
            throw e;
        });
    }

    private static String text(BsonDocument error, String key) {
        return error.getString(key, new BsonString("")).getValue();
    }
}
