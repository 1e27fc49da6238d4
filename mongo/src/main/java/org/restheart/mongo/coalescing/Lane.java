package org.restheart.mongo.coalescing;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// Group commit for requests of one shape: a queue and a small number of flights. A request starts a flight when one is
/// free, else it leaves with the next. A batch therefore grows only while MongoDB is the bottleneck, and a client alone
/// pays no delay.
///
/// While batches are small, flights go side by side, so that a few clients do not wait for each other. Once they are
/// large there is one at a time: half as many commands for the same requests. A flight that takes long is not waited
/// for. Thread-safe.
///
/// @param <R> what is asked
/// @param <O> the outcome
final class Lane<R, O> {
    /// Batches of this size fill a flight well enough to wait for it.
    private static final int LARGE = 8;

    /// Flights that take longer hold nobody up: it is MongoDB that is slow, or the way there.
    private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /// A request that waits longer is asked now and then whether its client is still there.
    private static final Duration LONG_WAIT = Duration.ofSeconds(1);

    private final Flight<R, O> flight;
    private final CoalescingConfig limits;
    private final Executor threads;
    private final LaneMeters meters;
    private final LongSupplier clock;

    /// Guarded by this, like all below.
    private final Queue<Ticket<R, O>> queue = new ArrayDeque<>();

    private int flying;
    private long lastDeparture;

    /// The largest of the latest batches; fades by an eighth with each that is smaller.
    private int usualBatch;

    private boolean watched;

    /// @param clock [System#nanoTime()], or a test's
    Lane(Flight<R, O> flight, CoalescingConfig limits, Executor threads, LaneMeters meters, LongSupplier clock) {
        this.clock = clock;
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
        long now = clock.getAsLong();
        var ticket = new Ticket<R, O>(this, request, bytes, now);
        synchronized (this) {
            if (queue.size() >= limits.maxQueued()) {
                meters.refused();
                throw refusal("too many requests are waiting for MongoDB");
            }
            queue.add(ticket);
            if (!mayFlyBeside(flying, now)) {
                if (!watched) {
                    watchFor(limits.maxWait().toNanos());
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
    private void watchFor(long nanos) {
        watched = true;
        CompletableFuture.delayedExecutor(Math.min(nanos, LONG_WAIT.toNanos()), TimeUnit.NANOSECONDS, threads)
                .execute(this::lookAround);
    }

    private void lookAround() {
        var late = new ArrayList<Ticket<R, O>>();
        var waiting = new ArrayList<Ticket<R, O>>();
        synchronized (this) {
            long now = clock.getAsLong();
            long maxWait = limits.maxWait().toNanos();
            var next = queue.peek();
            while (next != null && now - next.queuedAt() >= maxWait) {
                late.add(queue.remove());
                next = queue.peek();
            }
            if (next == null) {
                watched = false;
            } else {
                watchFor(maxWait - (now - next.queuedAt()));
            }
            for (var ticket : queue) {
                if (now - ticket.queuedAt() < LONG_WAIT.toNanos()) {
                    break;
                }
                waiting.add(ticket);
            }
        }
        for (var ticket : late) {
            meters.refused();
            ticket.completeExceptionally(refusal("MongoDB does not answer in time"));
        }
        waiting.forEach(Ticket::withdrawIfGone);
    }

    /// @return false if the ticket has left already
    boolean takeOut(Ticket<R, O> ticket) {
        synchronized (this) {
            if (!queue.remove(ticket)) {
                return false;
            }
        }
        meters.abandoned();
        return true;
    }

    private void flyWhileQueued() {
        for (var batch = nextBatch(); !batch.isEmpty(); batch = nextBatch()) {
            meters.departed(batch, clock.getAsLong());
            try {
                flight.fly(batch);
                requireOutcomes(batch);
            } catch (RuntimeException | Error e) {
                failRest(batch, e);
            }
        }
    }

    private static <R, O> void requireOutcomes(List<Ticket<R, O>> batch) {
        for (var ticket : batch) {
            if (!ticket.isDone()) {
                throw new IllegalStateException("a flight landed without this outcome");
            }
        }
    }

    private static <R, O> void failRest(List<Ticket<R, O>> batch, Throwable failure) {
        for (var ticket : batch) {
            ticket.completeExceptionally(failure); // does nothing to a ticket that has its outcome
        }
    }

    /// Whether there may be one more flight beside so many. Called with the lock held.
    private boolean mayFlyBeside(int others, long now) {
        return others == 0 || (others < limits.flights() && (usualBatch < LARGE || now - lastDeparture > LONG_NANOS));
    }

    /// Takes what is queued, up to the bounds; an empty batch ends the flight's thread.
    private synchronized List<Ticket<R, O>> nextBatch() {
        long now = clock.getAsLong();
        if (!mayFlyBeside(flying - 1, now)) {
            flying--;
            return List.of();
        }
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
        } else {
            lastDeparture = now;
            usualBatch = Math.max(batch.size(), usualBatch - (usualBatch + 7) / 8);
        }
        return batch;
    }
}
