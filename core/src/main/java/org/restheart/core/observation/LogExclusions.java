package org.restheart.core.observation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Paths of which only a sample of requests is logged. Thread-safe.
final class LogExclusions {
    private final List<Exclusion> exclusions;
    private final long intervalNanos;
    private final LongSupplier nanoTime;

    /// @param patterns exact paths, or with `*` for any characters
    /// @param interval of the requests that match a pattern the first is logged, then one per interval; zero
    ///     for the first only
    LogExclusions(List<String> patterns, Duration interval, LongSupplier nanoTime) {
        this.exclusions = patterns.stream()
                .map(pattern -> new Exclusion(compile(pattern), new AtomicLong(nanoTime.getAsLong())))
                .toList();
        this.intervalNanos = interval.toNanos();
        this.nanoTime = nanoTime;
    }

    private static Pattern compile(String pattern) {
        return Pattern.compile(
                Stream.of(pattern.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")),
                Pattern.DOTALL);
    }

    /// Whether to exclude a request. False for one request per interval.
    boolean excludes(String path) {
        for (var exclusion : exclusions) {
            if (exclusion.pattern.matcher(path).matches()) {
                return !isDue(exclusion);
            }
        }
        return false;
    }

    private boolean isDue(Exclusion exclusion) {
        long now = nanoTime.getAsLong();
        long next = exclusion.next.get();
        boolean never = next == Long.MIN_VALUE;
        long following = intervalNanos == 0 ? Long.MIN_VALUE : now + intervalNanos;
        return !never && now - next >= 0 && exclusion.next.compareAndSet(next, following);
    }

    /// @param next when the next request may be logged, in nano time; `Long.MIN_VALUE` for never
    private record Exclusion(Pattern pattern, AtomicLong next) {}
}
