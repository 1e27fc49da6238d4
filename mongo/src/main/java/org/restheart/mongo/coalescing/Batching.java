package org.restheart.mongo.coalescing;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoNamespace;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteConcernException;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Problem;
import org.restheart.http.RequestStart;
import org.restheart.http.access.CallerScope;
import org.restheart.http.trace.TraceScope;
import org.restheart.mongo.coalescing.BatchQueues.BatchMeters;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.error.UnknownOutcomeException;
import org.restheart.mongo.write.RetryableStatements;

/// What all kinds of batch commands have in common.
record Batching(
        MongoClient client,
        CoalescingConfig config,
        Executor threads,
        Deployment deployment,
        BatchLoad load,
        MeterRegistry registry) {
    /// For what is done for single requests of a batch, which may block.
    static final Executor OUTCOMES = task -> Thread.ofVirtual().name("write").start(task);

    /// @param kind in the names of meters
    <K, R, O> BatchQueues<K, R, O> queues(String kind) {
        return new BatchQueues<>(this, new BatchMeters(registry, kind));
    }

    /// Closes the statements of a command when all its requests have their outcomes. If these are not known yet,
    /// they are determined on another thread, which may wait for MongoDB: further batches do not wait for it. Its
    /// work is charged to the requests' callers, as the command's was.
    ///
    /// @param later completes all requests; what it throws fails those that are left. Null if all are complete
    static <R, O> void endOrFinish(
            List<PendingRequest<R, O>> requests, RetryableStatements statements, @Nullable Runnable later) {
        if (later == null) {
            statements.close();
            return;
        }
        requests.forEach(PendingRequest::handOver);
        OUTCOMES.execute(TraceScope.carried(() -> {
            try (statements) {
                RequestStart.during(
                        PendingRequest.begunAt(requests),
                        () -> CallerScope.run(PendingRequest.callersOf(requests), () -> {}, later));
            } catch (RuntimeException | Error e) {
                requests.forEach(pending -> pending.completeExceptionally(e));
            }
        }));
    }

    /// Refuses what is to be sent again if the time of its request is over: each of the steps before may have waited
    /// for another primary.
    ///
    /// @param partly whether something of the request has been executed
    static void requireTime(boolean partly) {
        if (!RequestStart.left(BoundedConcern.LIMIT).isPositive()) {
            throw partly
                    ? new UnknownOutcomeException(new MongoTimeoutException("the time of the request is over"))
                    : Problem.overloaded("MongoDB does not answer in time").raise();
        }
    }

    /// A write concern applies to the whole command: when it is not satisfied, all its requests fail with that error,
    /// without MongoDB's messages about documents of other requests.
    ///
    /// @return empty if the write concern was satisfied
    static Optional<MongoWriteConcernException> unsatisfied(MongoBulkWriteException e) {
        return Optional.ofNullable(e.getWriteConcernError())
                .map(unsatisfied ->
                        new MongoWriteConcernException(unsatisfied, null, e.getServerAddress(), e.getErrorLabels()));
    }

    /// The shape of writes: those of one target may share a command.
    ///
    /// @param caller whose writes share commands with each other only; [CallerScope#SERVER] where those of all do
    record Target(MongoNamespace namespace, WriteConcern writeConcern, String caller) {
        Target(MongoNamespace namespace, WriteConcern writeConcern) {
            this(namespace, writeConcern, CallerScope.SERVER);
        }

        /// For inserts and upserts: a caller that has inserted a document in a transaction can let another
        /// insert of the same id wait for that, and with it the whole command. That is aborted only by
        /// MongoDB's time limit, which MongoDB 6.0 does not apply to an upsert that waits.
        Target ofCaller() {
            return new Target(namespace, writeConcern, CallerScope.current());
        }

        MongoCollection<RawBsonDocument> collection(MongoClient client) {
            return client.getDatabase(namespace.getDatabaseName())
                    .getCollection(namespace.getCollectionName(), RawBsonDocument.class)
                    .withWriteConcern(writeConcern);
        }
    }

    /// Runs one command for several requests. Thread-safe: a queue's commands run concurrently.
    ///
    /// @param <R> the request
    /// @param <O> the outcome
    @FunctionalInterface
    interface BatchCommand<R, O> {
        /// Completes every pending request with its own outcome, or leaves that to another thread
        /// ([PendingRequest#completeElsewhere]). An exception fails every request that has no outcome yet.
        void run(List<PendingRequest<R, O>> requests);

        /// What each request takes beside its own size, in bytes, as it is expected now.
        default int bytes() {
            return 0;
        }

        /// Whether commands that have taken some seconds do not count among those that may run at a time. Equal
        /// queries shall rather wait for each other.
        default boolean mayTakeLong() {
            return false;
        }

        /// The same with a short time limit, within which it also fails if MongoDB does not answer at all; empty if it
        /// must not be run again after such a failure, or would probably fail. Asked before each.
        default Optional<BatchCommand<R, O>> inline() {
            return Optional.empty();
        }
    }

    /// How many requests wait in all queues or are part of a running command. Where they are many, the processors are
    /// shared by commands of several kinds: a queue that sees few of the requests should combine them as well.
    /// Thread-safe.
    static final class BatchLoad {
        /// As many as four commands of batches that [BatchQueue] calls large.
        private static final int MANY = 32;

        /// Commands end together, so that the number falls for a moment between two of them.
        private static final long MEMORY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

        private final AtomicInteger requests = new AtomicInteger();
        private volatile boolean everHigh;
        private volatile long lastHigh;

        /// @param now in [System#nanoTime()]
        void add(int count, long now) {
            if (requests.addAndGet(count) >= MANY) {
                lastHigh = now;
                everHigh = true;
            }
        }

        void remove(int count) {
            requests.addAndGet(-count);
        }

        /// Whether there are many requests, or were a moment ago.
        boolean isHigh(long now) {
            return everHigh && now - lastHigh < MEMORY_NANOS;
        }

        /// For tests.
        int requests() {
            return requests.get();
        }
    }
}
