package org.restheart.mongo.coalescing;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoNamespace;
import com.mongodb.MongoWriteConcernException;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import org.restheart.http.Response;
import org.restheart.http.access.CallerScope;

/// What all kinds of batch commands have in common.
///
/// @param threads run the commands
record Batching(
        MongoClient client, CoalescingConfig config, Executor threads, Deployment deployment, MeterRegistry registry) {
    private static final String SHARING = "X-Coalesced";

    /// MongoDB's limit of a command is 16 MiB.
    private static final int MAX_BYTES = 8 << 20;

    /// @param kind in the names of meters
    <K, R, O> BatchQueues<K, R, O> queues(String kind) {
        return new BatchQueues<>(config, threads, deployment, new BatchMeters(registry, kind));
    }

    /// With at most so many bytes of documents in a command that the whole remains within MongoDB's limit.
    Batching withLimitedBytes() {
        int bytes = Math.min(config.maxBatchBytes(), MAX_BYTES);
        return new Batching(client, config.withMaxBatchBytes(bytes), threads, deployment, registry);
    }

    /// The response of a batch result; with the number of requests that shared the command, if enabled.
    <O> Response defer(CompletionStage<BatchResult<O>> eventual, Function<O, Response.Ready> answer) {
        return Response.later(eventual, result -> {
            var response = answer.apply(result.outcome());
            return config.header() ? response.with(SHARING, Integer.toString(result.sharing())) : response;
        });
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

        /// For inserts, whose commands are aborted only by MongoDB's time limit: a caller that has inserted a document
        /// in a transaction can let another insert of the same id wait for that, and with it the whole command.
        Target ofCaller() {
            return new Target(namespace, writeConcern, CallerScope.current());
        }

        MongoCollection<RawBsonDocument> collection(MongoClient client) {
            return client.getDatabase(namespace.getDatabaseName())
                    .getCollection(namespace.getCollectionName(), RawBsonDocument.class)
                    .withWriteConcern(writeConcern);
        }
    }
}
