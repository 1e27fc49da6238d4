package org.restheart.core.noninterference;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/// How often each kind of request had which status: what is always refused proves little. Thread-safe.
final class Tally {
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

    void count(Profile profile, FuzzRequest request, int status) {
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
