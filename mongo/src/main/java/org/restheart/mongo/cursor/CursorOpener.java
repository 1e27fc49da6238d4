package org.restheart.mongo.cursor;

import com.mongodb.ClientSessionOptions;
import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.connection.ServerDescription;
import com.mongodb.connection.ServerType;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.RawBsonDocument;
import org.restheart.mongo.find.FindCommand;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.QueryKey;

/// Opens cursors. Thread-safe.
interface CursorOpener {
    /// Whether all commands reach the server that keeps the cursor.
    boolean isPossible();

    /// A cursor at the position: MongoDB has skipped the documents before it. Blocks until it has.
    ///
    /// @param query its skip and limit are not used
    /// @param position from 1
    /// @param span documents that it may read from there
    /// @return empty if the result ends before
    /// @throws com.mongodb.MongoException if MongoDB refuses the query or cannot be reached
    Optional<PositionedCursor> open(QueryKey key, FindQuery query, long position, int span);

    /// Opens them in a deployment.
    final class OfServer implements CursorOpener {
        private static final ClientSessionOptions SESSION =
                ClientSessionOptions.builder().causallyConsistent(false).build();

        /// The time limit of one cursor, if the query has none.
        private static final Duration LONGEST = Duration.ofMinutes(1);

        private final MongoClient client;

        OfServer(MongoClient client) {
            this.client = client;
        }

        @Override
        public boolean isPossible() {
            return client.getReadPreference().equals(ReadPreference.primary()) && server().isPresent();
        }

        /// The primary, or the only server there is. With several routers `getMore` could be sent to the wrong one.
        private Optional<ServerAddress> server() {
            var servers = client.getClusterDescription().getServerDescriptions();
            var primary = of(servers, ServerType.REPLICA_SET_PRIMARY);
            if (primary.isPresent() || servers.size() != 1) {
                return primary;
            }
            return of(servers, ServerType.STANDALONE).or(() -> of(servers, ServerType.SHARD_ROUTER));
        }

        private static Optional<ServerAddress> of(List<ServerDescription> servers, ServerType type) {
            return servers.stream()
                    .filter(server -> server.getType() == type)
                    .map(ServerDescription::getAddress)
                    .findFirst();
        }

        /// The first batch contains only the document before the position: MongoDB has then skipped to it, and the
        /// documents after it are read only when they are requested.
        @Override
        public Optional<PositionedCursor> open(QueryKey key, FindQuery query, long position, int span) {
            var server = server();
            if (server.isEmpty()) {
                return Optional.empty();
            }
            long now = System.nanoTime();
            var command = FindCommand.of(query.slice(position - 1, span + 1), 1);
            var limit = query.settings().timeLimit().isZero()
                    ? LONGEST
                    : query.settings().timeLimit();
            command.append("maxTimeMS", new BsonInt64(limit.toMillis()));
            if (!client.getReadConcern().isServerDefault()) {
                command.append("readConcern", client.getReadConcern().asDocument());
            }
            var database = client.getDatabase(query.namespace().getDatabaseName());
            ClientSession session = client.startSession(SESSION);
            boolean kept = false;
            try {
                var reply = database.runCommand(session, command, ReadPreference.primary(), RawBsonDocument.class)
                        .getDocument("cursor");
                if (isOver(reply)) {
                    return Optional.empty();
                }
                kept = true;
                return Optional.of(new PositionedCursor(
                        key, database, session, server.get(), reply, position, position + span, now));
            } finally {
                if (!kept) {
                    session.close();
                }
            }
        }

        private static boolean isOver(BsonDocument reply) {
            return reply.getInt64("id").getValue() == 0;
        }
    }
}
