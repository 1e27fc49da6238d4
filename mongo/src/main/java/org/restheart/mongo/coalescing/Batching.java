package org.restheart.mongo.coalescing;

import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.Executor;
import org.bson.RawBsonDocument;
import org.restheart.http.access.CallerScope;

/// What all kinds of batch commands have in common.
///
/// @param threads run the commands
record Batching(
        MongoClient client, CoalescingConfig config, Executor threads, Deployment deployment, MeterRegistry registry) {

    /// @param kind in the names of meters
    <K, R, O> BatchQueues<K, R, O> queues(String kind) {
        return new BatchQueues<>(config, threads, deployment, new BatchMeters(registry, kind));
    }

    Batching withMaxBatchBytes(int bytes) {
        return new Batching(client, config.withMaxBatchBytes(bytes), threads, deployment, registry);
    }

    /// The shape of writes: those of one target may share a command.
    ///
    /// @param caller whose writes share commands with each other only; [CallerScope#SERVER] where those of all do
    record Target(MongoNamespace namespace, WriteConcern writeConcern, String caller) {
        Target(MongoNamespace namespace, WriteConcern writeConcern) {
            this(namespace, writeConcern, CallerScope.SERVER);
        }

        /// For commands without a time limit: a caller that has inserted a document in a transaction can let another
        /// insert of the same id wait for that, and with it the whole command.
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
