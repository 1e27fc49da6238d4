package org.restheart.core.filter;

import java.util.HashMap;
import java.util.Map;

/// Completed requests per second, of each caller. Immutable.
///
/// @param rates of the callers that completed enough requests to be compared
/// @param all of all callers together
record Throughput(Map<String, Double> rates, double all) {
    static final Throughput NONE = new Throughput(Map.of(), 0);

    /// Fewer in a period differ by chance: the standard deviation of a count of 10 is 3.
    private static final int ENOUGH = 10;

    /// More does not count in a comparison: one caller could make up for what all others lose.
    private static final double LARGEST_GAIN = 1.5;

    Throughput {
        rates = Map.copyOf(rates);
    }

    /// @param done requests that were completed in a period, by caller
    /// @param all requests that were completed in it
    /// @param seconds its length
    static Throughput of(Map<String, Integer> done, long all, double seconds) {
        var rates = new HashMap<String, Double>();
        done.forEach((caller, count) -> {
            if (count >= ENOUGH) {
                rates.put(caller, count / seconds);
            }
        });
        return new Throughput(rates, all / seconds);
    }

    /// This throughput as a multiple of a former one: the mean of those of its callers, however many requests
    /// each completes. In a sum, somebody's many short requests would hide that others are not served any more.
    double against(Throughput former) {
        return former.rates.isEmpty()
                ? all / Math.max(former.all, Double.MIN_NORMAL)
                : former.rates.entrySet().stream()
                        .mapToDouble(each ->
                                Math.min(LARGEST_GAIN, rates.getOrDefault(each.getKey(), 0.0) / each.getValue()))
                        .average()
                        .orElseThrow();
    }

    /// Of each caller the larger rate.
    Throughput max(Throughput other) {
        var larger = new HashMap<>(rates);
        other.rates.forEach((caller, rate) -> larger.merge(caller, rate, Math::max));
        return new Throughput(larger, Math.max(all, other.all));
    }
}
