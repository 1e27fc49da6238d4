package org.restheart.security.realm;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Runs bcrypt on few threads. Clients are served round-robin, so that one with many passwords does not delay the
/// others, and clients that have sent a valid password before have precedence, so that a flood from unknown
/// addresses does not delay known ones. Thread-safe.
final class BcryptQueue implements AutoCloseable {
    private static final int MAX_WAITING = 64;

    /// One in this many turns is given to an unknown client, even while known ones wait.
    private static final int TURNS_PER_UNKNOWN = 4;

    private static final int MAX_KNOWN = 10_000;
    private static final Duration KNOWN = Duration.ofDays(1);

    private final ThreadPoolExecutor threads;
    private final Cache<String, Boolean> known = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumSize(MAX_KNOWN)
            .expireAfterWrite(KNOWN)
            .build();
    private final ReentrantLock lock = new ReentrantLock();
    private final Waiting ofKnown = new Waiting();
    private final Waiting ofUnknown = new Waiting();
    private long turns;

    BcryptQueue(int threadCount) {
        this.threads = new ThreadPoolExecutor(
                threadCount,
                threadCount,
                30,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("bcrypt-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
    }

    /// Queues the work. When the queue is full, the latest work of the client with the most queued work is
    /// cancelled.
    void add(String client, Turn<?> turn) {
        var dropped = enqueue(client, turn);
        if (dropped != null) {
            dropped.cancel(false);
        }
        if (!turn.equals(dropped)) {
            threads.execute(this::runNext);
        }
    }

    private @Nullable Turn<?> enqueue(String client, Turn<?> turn) {
        lock.lock();
        try {
            var known = isKnown(client);
            (known ? ofKnown : ofUnknown).add(client, turn);
            if (ofKnown.size + ofUnknown.size <= MAX_WAITING) {
                return null;
            }
            return (ofUnknown.size > 0 ? ofUnknown : ofKnown).dropLatestOfLongest();
        } finally {
            lock.unlock();
        }
    }

    void recordValidPassword(String client) {
        known.put(client, true);
    }

    private boolean isKnown(String client) {
        return known.getIfPresent(client) != null;
    }

    private void runNext() {
        var turn = next();
        if (turn != null) {
            turn.run();
        }
    }

    private @Nullable Turn<?> next() {
        lock.lock();
        try {
            boolean unknownsTurn = ++turns % TURNS_PER_UNKNOWN == 0;
            var first = unknownsTurn ? ofUnknown : ofKnown;
            var second = unknownsTurn ? ofKnown : ofUnknown;
            return first.size > 0 ? first.next() : second.next();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    /// Queued work by client, in the order of their next turns. Guarded by the lock.
    private static final class Waiting {
        private final LinkedHashMap<String, ArrayDeque<Turn<?>>> clients = new LinkedHashMap<>();
        private int size;

        void add(String client, Turn<?> turn) {
            clients.computeIfAbsent(client, _ -> new ArrayDeque<>()).add(turn);
            size++;
        }

        Turn<?> dropLatestOfLongest() {
            var longest = clients.sequencedEntrySet().reversed().stream() // of equal ones the newest client
                    .reduce((a, b) -> b.getValue().size() > a.getValue().size() ? b : a)
                    .orElseThrow();
            var latest = longest.getValue().removeLast();
            if (longest.getValue().isEmpty()) {
                clients.remove(longest.getKey());
            }
            size--;
            return latest;
        }

        @Nullable
        Turn<?> next() {
            var first = clients.pollFirstEntry();
            if (first == null) {
                return null;
            }
            var turn = first.getValue().remove();
            if (!first.getValue().isEmpty()) {
                clients.putLast(first.getKey(), first.getValue());
            }
            size--;
            return turn;
        }
    }

    /// One execution of bcrypt, requested by one or more callers. It is cancelled if all of them have timed out
    /// before it starts: under a flood the threads would otherwise work only for requests that have timed out.
    /// Thread-safe.
    static final class Turn<T> extends CompletableFuture<T> implements Runnable {
        private final long timeout;
        private final Supplier<T> work;
        private volatile long wantedUntil;

        Turn(Duration timeout, Supplier<T> work) {
            this.timeout = timeout.toNanos();
            this.work = work;
            this.wantedUntil = System.nanoTime() + this.timeout;
        }

        /// Called by each thread that begins to wait.
        void want() {
            wantedUntil = System.nanoTime() + timeout;
        }

        @Override
        public void run() {
            if (System.nanoTime() - wantedUntil > 0) {
                cancel(false);
                return;
            }
            try {
                complete(work.get());
            } catch (RuntimeException | Error e) {
                completeExceptionally(e);
            }
        }
    }
}
