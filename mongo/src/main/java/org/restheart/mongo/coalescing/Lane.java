package org.restheart.mongo.coalescing;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

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
    private boolean watched;

    Lane(Flight<R, O> flight, CoalescingConfig limits, Executor threads, LaneMeters meters) {
        this.flight = flight;
        this.limits = limits;
        this.threads = threads;
        this.meters = meters;
    }

    /// Queues a request; never waits.
    ///
    /// @param bytes what it adds to a batch
    /// @return fails with a 503, too, when it has not left in time
    /// @throws ProblemException 503 when too many wait already
    Ticket<R, O> submit(R request, int bytes) {
        var ticket = new Ticket<R, O>(request, bytes, System.nanoTime());
        synchronized (this) {
            if (queue.size() >= limits.maxQueued()) {
                meters.refused();
                throw refusal("too many requests are waiting for MongoDB");
            }
            queue.add(ticket);
            if (flying == limits.flights()) {
                if (!watched) {
                    watchFor(limits.maxWait());
                }
                return ticket;
            }
            flying++;
        }
        threads.execute(this::flyWhileQueued);
        return ticket;
    }

    private static ProblemException refusal(String message) {
        return Problem.of(ProblemCode.OVERLOADED, message)
                .with("Retry-After", "1")
                .raise();
    }

    /// Called with the lock held. While flights come and go the queue moves by itself; this is for the day when
    /// MongoDB does not answer.
    private void watchFor(Duration time) {
        watched = true;
        CompletableFuture.delayedExecutor(time.toNanos(), TimeUnit.NANOSECONDS, threads)
                .execute(this::refuseLate);
    }

    private void refuseLate() {
        var late = new ArrayList<Ticket<R, O>>();
        synchronized (this) {
            long now = System.nanoTime();
            long maxWait = limits.maxWait().toNanos();
            var next = queue.peek();
            while (next != null && now - next.queuedAt() >= maxWait) {
                late.add(queue.remove());
                next = queue.peek();
            }
            if (next == null) {
                watched = false;
            } else {
                watchFor(Duration.ofNanos(maxWait - (now - next.queuedAt())));
            }
        }
        for (var ticket : late) {
            meters.refused();
            ticket.completeExceptionally(refusal("MongoDB does not answer in time"));
        }
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
