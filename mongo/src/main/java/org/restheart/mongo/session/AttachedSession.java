package org.restheart.mongo.session;

import com.mongodb.ClientSessionOptions;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.TransactionOptions;
import com.mongodb.client.ClientSession;
import com.mongodb.client.TransactionBody;
import com.mongodb.internal.TimeoutContext;
import com.mongodb.internal.observability.micrometer.TransactionSpan;
import com.mongodb.session.ServerSession;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.concern.BoundedConcern;

/// A session of MongoDB that was not created by this driver, or a transaction in it: the driver sends its number
/// with each command, but neither starts nor ends it. Cluster times are kept by a driver session that is never used
/// on the server. Confined to one request.
final class AttachedSession implements ClientSession {
    private static final long NONE = -1;

    private final ClientSession times;
    private final Server server;
    private final TransactionOptions options;
    private final Runnable abort;
    private boolean begins;

    private AttachedSession(
            ClientSession times,
            BsonDocument id,
            long transaction,
            boolean begins,
            ReadConcern readConcern,
            Runnable abort) {
        this.abort = abort;
        this.times = times;
        this.server = new Server(id, transaction);
        this.begins = begins;
        this.options = TransactionOptions.builder()
                .readConcern(readConcern)
                .readPreference(ReadPreference.primary())
                .writeConcern(BoundedConcern.MAJORITY)
                .build();
    }

    /// The session without a transaction.
    static AttachedSession to(ClientSession times, BsonDocument id) {
        return new AttachedSession(times, id, NONE, false, ReadConcern.DEFAULT, () -> {});
    }

    /// A transaction that is in progress.
    ///
    /// @param abort aborts it
    static AttachedSession to(ClientSession times, BsonDocument id, long transaction, Runnable abort) {
        return new AttachedSession(times, id, transaction, false, ReadConcern.DEFAULT, abort);
    }

    /// A transaction that the first command starts.
    static AttachedSession beginning(ClientSession times, BsonDocument id, long transaction, ReadConcern readConcern) {
        return new AttachedSession(times, id, transaction, true, readConcern, () -> {});
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

    @Override
    public @Nullable ServerAddress getPinnedServerAddress() {
        return times.getPinnedServerAddress();
    }

    @Override
    public @Nullable Object getTransactionContext() {
        return times.getTransactionContext();
    }

    @Override
    public void setTransactionContext(ServerAddress address, Object context) {
        times.setTransactionContext(address, context);
    }

    @Override
    public void clearTransactionContext() {
        times.clearTransactionContext();
    }

    @Override
    public @Nullable BsonDocument getRecoveryToken() {
        return times.getRecoveryToken();
    }

    @Override
    public void setRecoveryToken(BsonDocument token) {
        times.setRecoveryToken(token);
    }

    @Override
    public ClientSessionOptions getOptions() {
        return times.getOptions();
    }

    @Override
    public boolean isCausallyConsistent() {
        return times.isCausallyConsistent();
    }

    @Override
    public Object getOriginator() {
        return times.getOriginator();
    }

    @Override
    public @Nullable BsonTimestamp getOperationTime() {
        return times.getOperationTime();
    }

    @Override
    public void advanceOperationTime(@Nullable BsonTimestamp time) {
        times.advanceOperationTime(time);
    }

    @Override
    public void advanceClusterTime(@Nullable BsonDocument time) {
        times.advanceClusterTime(time);
    }

    @Override
    public void setSnapshotTimestamp(@Nullable BsonTimestamp time) {
        times.setSnapshotTimestamp(time);
    }

    @Override
    public @Nullable BsonTimestamp getSnapshotTimestamp() {
        return times.getSnapshotTimestamp();
    }

    @Override
    public @Nullable BsonDocument getClusterTime() {
        return times.getClusterTime();
    }

    @Override
    public @Nullable TimeoutContext getTimeoutContext() {
        return times.getTimeoutContext();
    }

    @Override
    public @Nullable Object getOverloadRetryPolicyState() {
        return times.getOverloadRetryPolicyState();
    }

    @Override
    public void close() {
        times.close();
    }
}
