package org.restheart.mongo.coalescing;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import java.util.concurrent.Executor;
import java.util.function.Function;

/// The lanes of one kind, by shape. A lane that is forgotten while requests wait in it still serves them. Thread-safe.
///
/// @param <K> the shape: value equality decides who may share a flight
/// @param <R> what is asked
/// @param <O> the outcome
final class Lanes<K, R, O> {
    private final LoadingCache<K, Lane<R, O>> lanes;

    Lanes(Function<K, Flight<R, O>> flights, CoalescingConfig config, Executor threads, LaneMeters meters) {
        lanes = Caffeine.newBuilder()
                .maximumSize(config.maxLanes())
                .expireAfterAccess(config.laneIdle())
                .executor(Runnable::run)
                .build(shape -> new Lane<>(flights.apply(shape), config, threads, meters, System::nanoTime));
    }

    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    Ticket<R, O> submit(K shape, R request, int bytes) {
        return lanes.get(shape).submit(request, bytes);
    }
}
