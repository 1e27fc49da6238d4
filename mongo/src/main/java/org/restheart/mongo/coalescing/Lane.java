package org.restheart.mongo.coalescing;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;

/// Group commit for requests of one shape: a queue and a small number of flights. A request starts a flight when one is
/// free, else it leaves with the next. A batch therefore grows only while MongoDB is the bottleneck, and a client alone
/// pays no delay. Thread-safe.
///
/// @param <R> what is asked
/// @param <O> the outcome
final class Lane<R, O> {
    private final Flight<R, O> flight;
    private final CoalescingConfig limits;
    private final Executor threads;
    private final LaneMeters meters;

    /// Guarded by this, like the number of flights under way.
    private final Queue<Ticket<R, O>> queue = new ArrayDeque<>();

    private int flying;

    Lane(Flight<R, O> flight, CoalescingConfig limits, Executor threads, LaneMeters meters) {
        this.flight = flight;
        this.limits = limits;
        this.threads = threads;
        this.meters = meters;
    }

    /// Queues a request; never waits.
    ///
    /// @param bytes what it adds to a batch
    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    Ticket<R, O> submit(R request, int bytes) {
        var ticket = new Ticket<R, O>(request, bytes, System.nanoTime());
        synchronized (this) {
            if (queue.size() >= limits.maxQueued()) {
                meters.refused();
                throw Problem.of(ProblemCode.OVERLOADED, "too many requests are waiting for MongoDB")
                        .with("Retry-After", "1")
                        .raise();
            }
            queue.add(ticket);
            if (flying == limits.flights()) {
                return ticket;
            }
            flying++;
        }
        threads.execute(this::flyWhileQueued);
        return ticket;
    }

    private void flyWhileQueued() {
        for (var batch = nextBatch(); !batch.isEmpty(); batch = nextBatch()) {
            meters.departed(batch, System.nanoTime());
            try {
                flight.fly(batch);
                failRest(batch, new IllegalStateException("a flight landed without this outcome"));
            } catch (RuntimeException | Error e) {
                failRest(batch, e);
            }
        }
    }

    private static <R, O> void failRest(List<Ticket<R, O>> batch, Throwable failure) {
        for (var ticket : batch) {
            ticket.completeExceptionally(failure); // does nothing to a ticket that has its outcome
        }
    }

    /// Takes what is queued, up to the bounds; an empty batch ends the flight's thread.
    private synchronized List<Ticket<R, O>> nextBatch() {
        var batch = new ArrayList<Ticket<R, O>>(Math.min(queue.size(), limits.maxBatch()));
        long bytes = 0;
        for (var next = queue.peek(); next != null && batch.size() < limits.maxBatch(); next = queue.peek()) {
            if (!next.isDone()) {
                bytes += next.bytes();
                if (bytes > limits.maxBatchBytes() && !batch.isEmpty()) {
                    break;
                }
                batch.add(next);
            }
            queue.remove();
        }
        if (batch.isEmpty()) {
            flying--;
        }
        return batch;
    }
}
