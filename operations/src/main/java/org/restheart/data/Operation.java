package org.restheart.data;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// What is asked of the data, in the words of MongoDB, whichever way in it came by. Says nothing of how the result
/// looks.
/// Immutable by agreement.
public sealed interface Operation {
    Namespace on();

    /// The document with an id.
    ///
    /// @param filters what it must match besides, as the client wants; none is empty
    /// @param keys the projection that the client wants; empty for all that the caller sees
    record Get(Namespace on, BsonValue id, List<BsonDocument> filters, BsonDocument keys, ReadOptions options)
            implements Operation {
        public Get {
            filters = List.copyOf(filters);
        }
    }

    /// How a read is carried out.
    ///
    /// @param concern MongoDB's name of the read concern; empty for the deployment's
    /// @param preference MongoDB's name of the read preference; empty for the connection's
    /// @param timeLimit MongoDB gives up after this; zero for no limit
    /// @param session empty outside of sessions
    record ReadOptions(
            Optional<String> concern, Optional<String> preference, Duration timeLimit, Optional<Session> session) {
        public static final ReadOptions DEFAULT =
                new ReadOptions(Optional.empty(), Optional.empty(), Duration.ZERO, Optional.empty());
    }

    /// A session that a client has named: a handle whose meaning only the executor knows.
    interface Session {}

    /// An operation with what its caller may see and do, as rules and guards have decided.
    ///
    /// @param plain whether the collection is known to be neither a view nor to have a collation
    record Authorized<O extends Operation>(O operation, Access access, boolean plain) {}
}
