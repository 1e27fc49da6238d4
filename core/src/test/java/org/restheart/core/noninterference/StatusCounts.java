package org.restheart.core.noninterference;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/// Counts responses by kind of request and status, to show kinds that are always refused and so prove little.
/// Thread-safe.
final class StatusCounts {
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

    void count(CallerProfile profile, FuzzRequest request, int status) {
        var path = request.path().replaceAll("\\?.*|[0-9]+(?=/|$)", "").replaceAll("(/[a-z]+/)[a-z]+$", "$1{id}");
        counts.computeIfAbsent(profile + " " + request.method() + " " + path + " " + status, _ -> new LongAdder())
                .increment();
    }

    @Override
    public String toString() {
        return new TreeMap<>(counts)
                .entrySet().stream().map(e -> e.getKey() + ": " + e.getValue()).collect(Collectors.joining("\n"));
    }
}
