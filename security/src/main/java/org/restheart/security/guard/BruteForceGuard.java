package org.restheart.security.guard;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.security.FailedAttempts;

/// Locks out a source that has shown wrong credentials too often within ten seconds, until that is ten
/// seconds ago. It is asked before any password is checked. Thread-safe.
public final class BruteForceGuard implements FailedAttempts {
    private static final Duration WINDOW = Duration.ofSeconds(10);
    private static final int MAX_SOURCES = 100_000;
    /// An address is shorter; what is longer is made up.
    private static final int MAX_SOURCE_LENGTH = 64;

    private final int maxFailures;
    private final Source source;
    private final LongSupplier nanos;
    private final Cache<String, Failures> failures = Caffeine.newBuilder()
            .maximumSize(MAX_SOURCES)
            .expireAfterWrite(WINDOW)
            .build();

    /// Where a request comes from.
    public sealed interface Source {
        /// The other end of the connection.
        record Peer() implements Source {}

        /// A value of `X-Forwarded-For`, counted from the last, which the nearest proxy has written.
        record Forwarded(int fromLast) implements Source {}
    }

    /// When the latest failures were; at most as many as are allowed.
    private static final class Failures {
        private final long[] times;

        private Failures(long... times) {
            this.times = times;
        }

        Failures plus(long now, int max) {
            int kept = Math.min(times.length, max - 1);
            var more = new long[kept + 1];
            System.arraycopy(times, times.length - kept, more, 0, kept);
            more[kept] = now;
            return new Failures(more);
        }

        boolean lock(long now, int max) {
            return times.length >= max && now - times[times.length - max] < WINDOW.toNanos();
        }
    }

    public BruteForceGuard(int maxFailures, Source source) {
        this(maxFailures, source, System::nanoTime);
    }

    BruteForceGuard(int maxFailures, Source source, LongSupplier nanos) {
        this.maxFailures = maxFailures;
        this.source = source;
        this.nanos = nanos;
    }

    @Override
    public void admit(Request request) {
        var known = failures.getIfPresent(source(request));
        if (known != null && request.method() != Method.OPTIONS && known.lock(nanos.getAsLong(), maxFailures)) {
            throw Problem.of(
                            ProblemCode.TOO_MANY_REQUESTS,
                            "Too many failed authentication attempts. Please try again later.")
                    .with("Retry-After", Long.toString(WINDOW.toSeconds()))
                    .raise();
        }
    }

    @Override
    public void rejected(Request request) {
        long now = nanos.getAsLong();
        failures.asMap()
                .compute(
                        source(request), (_, known) -> (known == null ? new Failures() : known).plus(now, maxFailures));
    }

    private String source(Request request) {
        return switch (source) {
            case Source.Peer() -> request.connection().peerAddress();
            case Source.Forwarded(int fromLast) -> forwarded(request, fromLast);
        };
    }

    /// Requests without the field share a source.
    private static String forwarded(Request request, int fromLast) {
        var values = String.join(",", request.headers().all("X-Forwarded-For")).split(",", -1);
        var value = values[Math.max(0, values.length - 1 - fromLast)].strip();
        return value.substring(0, Math.min(value.length(), MAX_SOURCE_LENGTH));
    }
}
