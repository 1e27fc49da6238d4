package org.restheart.mcp;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.time.InstantSource;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;

/// Limits the calls of an account per minute and its concurrent calls. Thread-safe.
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

    /// A fixed window of one minute that begins with the first call.
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

    /// Begins a call, which ends when the result is closed.
    ///
    /// @throws RefusedCall naming the time to wait
    Running begin(String caller) {
        var account = accounts.get(caller, _ -> new Account());
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
        return new Running(account);
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

    /// A running call.
    record Running(Account account) implements AutoCloseable {
        @Override
        public void close() {
            account.running.decrementAndGet();
        }

        /// In place of [#close()], for a call that is made again.
        void undo() {
            close();
            synchronized (account) {
                account.calls = Math.max(0, account.calls - 1);
            }
        }
    }
}
