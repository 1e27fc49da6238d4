package org.restheart.mongo.coalescing;

import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.Executor;
import org.bson.RawBsonDocument;

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
    record Target(MongoNamespace namespace, WriteConcern writeConcern) {
        MongoCollection<RawBsonDocument> collection(MongoClient client) {
            return client.getDatabase(namespace.getDatabaseName())
                    .getCollection(namespace.getCollectionName(), RawBsonDocument.class)
                    .withWriteConcern(writeConcern);
        }
    }
}
