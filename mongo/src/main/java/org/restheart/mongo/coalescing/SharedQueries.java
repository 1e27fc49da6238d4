package org.restheart.mongo.coalescing;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/// Identical questions that wait together are asked once, and all get the same answer. Thread-safe.
///
/// @param <K> the question: value equality decides who shares an answer, so everything that changes it is in the key
/// @param <V> the answer; immutable, since several requests hold it
public final class SharedQueries<K, V> {
    private final Lanes<K, Supplier<V>, Shared<V>> lanes;

    /// @param sharing how many requests got this answer
    public record Shared<V>(V answer, int sharing) {}

    SharedQueries(CoalescingConfig config, Executor threads, MeterRegistry registry) {
        lanes = new Lanes<>(_ -> SharedQueries::askOnce, config, threads, new LaneMeters(registry, "query"));
    }

    /// Joins those who wait for the same question; never waits itself.
    ///
    /// @param ask runs the question; called for one of those who share it, on a thread that may block
    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    public CompletableFuture<Shared<V>> submit(K question, Supplier<V> ask) {
        return lanes.submit(question, ask, 0);
    }

    private static <V> void askOnce(List<Ticket<Supplier<V>, Shared<V>>> tickets) {
        var shared = new Shared<>(tickets.getFirst().request().get(), tickets.size());
        tickets.forEach(ticket -> ticket.complete(shared));
    }
}
