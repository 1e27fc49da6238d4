package org.restheart.rest.session;

import com.mongodb.ClientSessionOptions;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.TransactionOptions;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.TransactionBody;
import com.mongodb.connection.ClusterType;
import com.mongodb.connection.ServerDescription;
import com.mongodb.internal.binding.TransactionContext;
import com.mongodb.internal.observability.micrometer.TransactionSpan;
import com.mongodb.internal.session.BaseClientSessionImpl;
import com.mongodb.session.ServerSession;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.concern.BoundedConcern;

/// A session of MongoDB that was not created by this driver, or a transaction in it: the driver sends its number
/// with each command, but neither starts nor ends it. Confined to one request.
final class AttachedSession extends BaseClientSessionImpl implements ClientSession {
    private static final long NONE = -1;

    private final Server server;
    private final TransactionOptions options;
    private final Runnable abort;
    private boolean begins;

    private AttachedSession(
            MongoClient client,
            boolean causal,
            BsonDocument id,
            long transaction,
            boolean begins,
            ReadConcern readConcern,
            Runnable abort) {
        var ofClient = client.startSession( // never used on the server
                ClientSessionOptions.builder().causallyConsistent(causal).build());
        super(null, ofClient.getOriginator(), ofClient.getOptions());
        this.abort = abort;
        this.server = new Server(id, transaction);
        this.begins = begins;
        if (transaction != NONE) {
            router(client, id).ifPresent(this::pin);
        }
        this.options = TransactionOptions.builder()
                .readConcern(readConcern)
                .readPreference(ReadPreference.primary())
                .writeConcern(BoundedConcern.MAJORITY)
                .build();
    }

    /// The session without a transaction; its reads see earlier writes of the session.
    static AttachedSession causal(MongoClient client, BsonDocument id) {
        return new AttachedSession(client, true, id, NONE, false, ReadConcern.DEFAULT, () -> {});
    }

    /// A transaction that is in progress.
    static AttachedSession to(MongoClient client, BsonDocument id, long transaction, Runnable abort) {
        return new AttachedSession(client, false, id, transaction, false, ReadConcern.DEFAULT, abort);
    }

    /// A transaction that the first command starts.
    static AttachedSession beginning(MongoClient client, BsonDocument id, long transaction, ReadConcern readConcern) {
        return new AttachedSession(client, false, id, transaction, true, readConcern, () -> {});
    }

    /// The router for all commands of a transaction in a sharded cluster, since routers do not know each other's. It
    /// follows from the session and the set of routers alone (rendezvous hashing): all gateways choose the same.
    private static Optional<ServerAddress> router(MongoClient client, BsonDocument id) {
        var cluster = client.getClusterDescription();
        if (cluster.getType() != ClusterType.SHARDED) {
            return Optional.empty();
        }
        return cluster.getServerDescriptions().stream()
                .filter(ServerDescription::isOk)
                .map(ServerDescription::getAddress)
                .max(Comparator.comparing(address -> {
                    var hash = new CRC32C();
                    hash.update((id.toJson() + address).getBytes(StandardCharsets.UTF_8));
                    return hash.getValue();
                }));
    }

    private void pin(ServerAddress router) {
        var context = new TransactionContext<>(ClusterType.SHARDED);
        setTransactionContext(router, context);
        context.release(); // the session retains it
    }

    /// @param getIdentifier MongoDB's `lsid`
    private record Server(BsonDocument getIdentifier, long getTransactionNumber) implements ServerSession {
        @Override
        public long advanceTransactionNumber() {
            throw new IllegalStateException("a retryable write would end the session's transaction");
        }

        @Override
        public boolean isClosed() {
            return false;
        }

        @Override
        public void markDirty() {
            // not pooled
        }

        @Override
        public boolean isMarkedDirty() {
            return false;
        }
    }

    @Override
    public ServerSession getServerSession() {
        return server;
    }

    @Override
    public boolean hasActiveTransaction() {
        return server.getTransactionNumber() != NONE;
    }

    @Override
    public boolean notifyMessageSent() {
        boolean first = begins;
        begins = false;
        return first;
    }

    @Override
    public void notifyOperationInitiated(Object operation) {
        // the state is kept by MongoDB
    }

    @Override
    public TransactionOptions getTransactionOptions() {
        return options;
    }

    @Override
    public void startTransaction() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void startTransaction(TransactionOptions options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void commitTransaction() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void abortTransaction() {
        abort.run();
    }

    @Override
    public <T> T withTransaction(TransactionBody<T> body) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> T withTransaction(TransactionBody<T> body, TransactionOptions options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable TransactionSpan getTransactionSpan() {
        return null;
    }
}
