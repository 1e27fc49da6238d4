package org.restheart.mongo.coalescing;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// Identical questions that wait together are asked once, and all get the same answer. Thread-safe.
///
/// @param <K> the question: value equality decides who shares an answer, so everything that changes it is in the key
/// @param <V> the answer
final class SharedQueries<K, V> {
    private final Lanes<K, Supplier<V>, Landed<V>> lanes;
    private final Predicate<V> canBeShared;

    SharedQueries(Predicate<V> canBeShared, CoalescingConfig config, Executor threads, MeterRegistry registry) {
        this.canBeShared = canBeShared;
        this.lanes = new Lanes<>(_ -> this::askOnce, config, threads, new LaneMeters(registry, "query"));
    }

    /// Joins those who wait for the same question; never waits itself.
    ///
    /// @param ask runs the question, on a thread that may block
    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    CompletableFuture<Landed<V>> submit(K question, Supplier<V> ask) {
        return lanes.submit(question, ask, 0);
    }

    private void askOnce(List<Ticket<Supplier<V>, Landed<V>>> tickets) {
        var first = tickets.getFirst();
        var answer = first.request().get();
        if (canBeShared.test(answer)) {
            var shared = new Landed<>(answer, tickets.size());
            tickets.forEach(ticket -> ticket.complete(shared));
        } else {
            first.complete(new Landed<>(answer, 1));
            tickets.stream()
                    .skip(1)
                    .forEach(ticket ->
                            ticket.complete(new Landed<>(ticket.request().get(), 1)));
        }
    }
}
