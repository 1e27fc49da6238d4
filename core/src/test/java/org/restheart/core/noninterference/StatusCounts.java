package org.restheart.core.noninterference;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Counts responses by kind of request and status, to find kinds that are always refused and so prove little.
/// Thread-safe.
final class StatusCounts {
    private record Kind(CallerProfile profile, String method, String path, int status) {
        @Override
        public String toString() {
            return profile + " " + method + " " + path + " " + status;
        }
    }

    private final Map<Kind, LongAdder> counts = new ConcurrentHashMap<>();

    void count(CallerProfile profile, FuzzRequest request, int status) {
        var path = request.path().replaceAll("\\?.*|[0-9]+(?=/|$)", "").replaceAll("(/[a-z]+/)[a-z]+$", "$1{id}");
        counts.computeIfAbsent(new Kind(profile, request.method(), path, status), _ -> new LongAdder())
                .increment();
    }

    /// The share of requests that were carried out, with a status of 2xx or 304, by profile.
    Map<CallerProfile, Double> carriedOutByProfile() {
        return carriedOut(Kind::profile);
    }

    /// The same by method.
    Map<String, Double> carriedOutByMethod() {
        return carriedOut(Kind::method);
    }

    private <T> Map<T, Double> carriedOut(Function<Kind, T> by) {
        return counts.entrySet().stream()
                .collect(Collectors.groupingBy(
                        entry -> by.apply(entry.getKey()),
                        TreeMap::new,
                        Collectors.teeing(
                                Collectors.summingLong(
                                        entry -> isCarriedOut(entry.getKey().status())
                                                ? entry.getValue().sum()
                                                : 0),
                                Collectors.summingLong(entry -> entry.getValue().sum()),
                                (done, all) -> (double) done / all)));
    }

    private static boolean isCarriedOut(int status) {
        return status / 100 == 2 || status == 304;
    }

    @Override
    public String toString() {
        return counts.entrySet().stream()
                .map(e -> e.getKey() + ": " + e.getValue())
                .sorted()
                .collect(Collectors.joining("\n"));
    }
}
