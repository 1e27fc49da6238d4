package org.restheart.mcp;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.time.InstantSource;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;

/// How many calls an account makes in a minute and at a time. Thread-safe.
final class CallLimits {
    private static final int MAX_ACCOUNTS = 10_000;
    private static final long MINUTE = 60_000;

    private final int perMinute;
    private final int concurrent;
    private final InstantSource clock;
    private final Cache<String, Account> accounts = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumSize(MAX_ACCOUNTS)
            .expireAfterAccess(Duration.ofMinutes(5))
            .build();

    /// Calls are counted in the minute that began with the first of them.
    private static final class Account {
        private final AtomicInteger running = new AtomicInteger();
        private long began;
        private int calls;
    }

    CallLimits(int perMinute, int concurrent, InstantSource clock) {
        this.perMinute = perMinute;
        this.concurrent = concurrent;
        this.clock = clock;
    }

    /// A call that runs until it is closed.
    ///
    /// @throws RefusedCall that says when to come back
    Running begin(String principal) {
        var account = accounts.get(principal, _ -> new Account());
        var wait = count(account);
        if (wait.isPresent()) {
            throw new RefusedCall(
                    "rate", "more than " + perMinute + " calls in a minute: wait " + wait.getAsLong() + " s");
        }
        if (account.running.incrementAndGet() > concurrent) {
            account.running.decrementAndGet();
            throw new RefusedCall(
                    "concurrency", "more than " + concurrent + " calls at a time: wait 1 s, then call one by one");
        }
        return account.running::decrementAndGet;
    }

    /// Seconds to wait; empty if the call may be made.
    private OptionalLong count(Account account) {
        long now = clock.millis();
        synchronized (account) {
            if (now - account.began >= MINUTE) {
                account.began = now;
                account.calls = 0;
            }
            if (account.calls < perMinute) {
                account.calls++;
                return OptionalLong.empty();
            }
            return OptionalLong.of((account.began + MINUTE - now + 999) / 1_000);
        }
    }

    /// A call that has begun.
    interface Running extends AutoCloseable {
        @Override
        void close();
    }
}
