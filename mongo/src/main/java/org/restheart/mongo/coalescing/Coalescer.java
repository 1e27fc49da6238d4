package org.restheart.mongo.coalescing;

import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/// All lanes of one gateway. Flights run on virtual threads of their own and complete the waiting requests there.
/// Thread-safe.
///
/// @param config what is coalesced and how much
public record Coalescer(
        CoalescingConfig config, GroupInserts inserts, PointReads reads, Executor threads, MeterRegistry registry) {

    public static Coalescer of(MongoClient client, CoalescingConfig config, MeterRegistry registry) {
        var threads = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("flight-", 0).factory());
        return new Coalescer(
                config,
                new GroupInserts(client, config, threads, registry),
                new PointReads(client, config, threads, registry),
                threads,
                registry);
    }

    /// Lanes for questions of one type.
    public <K, V> SharedQueries<K, V> sharedQueries() {
        return new SharedQueries<>(config, threads, registry);
    }
}
