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
    private final Cache<String, Window> windows = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumSize(MAX_ACCOUNTS)
            .expireAfterAccess(Duration.ofMinutes(5))
            .build();

    /// The calls of an account: those that are running, and those of a fixed window of one minute that begins with the
    /// first call.
    private static final class Window {
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
        var window = windows.get(caller, _ -> new Window());
        var wait = count(window);
        if (wait.isPresent()) {
            throw new RefusedCall(
                    "rate", "more than " + perMinute + " calls in a minute: wait " + wait.getAsLong() + " s");
        }
        if (window.running.incrementAndGet() > concurrent) {
            window.running.decrementAndGet();
            throw new RefusedCall(
                    "concurrency", "more than " + concurrent + " calls at a time: wait 1 s, then call one by one");
        }
        return new Running(window);
    }

    /// Seconds to wait; empty if the call may be made.
    private OptionalLong count(Window window) {
        long now = clock.millis();
        synchronized (window) {
            if (now - window.began >= MINUTE) {
                window.began = now;
                window.calls = 0;
            }
            if (window.calls < perMinute) {
                window.calls++;
                return OptionalLong.empty();
            }
            return OptionalLong.of((window.began + MINUTE - now + 999) / 1_000);
        }
    }

    record Running(Window window) implements AutoCloseable {
        @Override
        public void close() {
            window.running.decrementAndGet();
        }
    }
}
