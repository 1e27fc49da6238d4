package org.restheart.core.filter;

import java.util.HashMap;
import java.util.Map;

/// The number of concurrent requests that are admitted under overload, however few are completed per second.
///
/// Where requests wait for something other than processors (a distant MongoDB), throughput falls with concurrency, and
/// a low floor costs throughput. Where they compete for processors, it only shortens their latency. Trials find out
/// which is the case: the lowest floor first, then half of the floor; from time to time a higher one. They are judged
/// by throughput ([Throughput#against]). Not thread-safe.
final class ConcurrencyFloor {
    /// Twice the default number of connections to MongoDB: a request then waits for about one operation of another.
    static final int INITIAL = 256;

    static final int LOWEST = 16;

    /// Requests that share commands can be many more than there are connections.
    private static final int HIGHEST = 8_192;

    /// Throughput below this share of the former is a loss, above its inverse a gain. Smaller differences are
    /// statistical: the standard deviation of a count of 100 is 10.
    private static final double LOSS = 0.8;

    /// Periods without a trial after one that failed.
    private static final int PERIODS_WITHOUT = 10;

    private enum Trial {
        NONE,
        FEWER,
        MORE
    }

    private int floor = INITIAL;
    private Trial trial = Trial.NONE;
    private Trial failed = Trial.MORE;
    private int former = INITIAL;
    private Throughput formerRate = Throughput.NONE;
    private int periodsWithout;
    private boolean lowestTried;
    private boolean moreTried;

    int value() {
        return floor;
    }

    /// Ends the overload.
    void reset() {
        floor = INITIAL;
        trial = Trial.NONE;
        failed = Trial.MORE;
        periodsWithout = 0;
        lowestTried = false;
        moreTried = false;
    }

    /// Ends a period of overload with the current floor.
    ///
    /// @param enough the limit that follows from this rate; a floor below it has no effect
    /// @param latency that is added to this limit, but in a trial of fewer requests: forgotten if that holds, since
    /// requests have waited for each other then
    /// @param refused whether requests still are; else it does not matter whether they have waited for each other
    void periodEnded(Throughput rate, int enough, LatencyWithoutQueue latency, boolean refused) {
        boolean holds = switch (trial) {
            case NONE -> true;
            case FEWER -> rate.against(formerRate) >= LOSS;
            case MORE -> rate.against(formerRate) * LOSS > 1;
        };
        if (!holds) {
            giveUp();
        } else if (periodsWithout > 0) {
            periodsWithout--;
        } else {
            if (trial == Trial.FEWER) {
                latency.forget();
            }
            next(trial == Trial.FEWER ? rate.max(formerRate) : rate, enough, refused && latency.nanos() > 0);
        }
    }

    boolean isTrialOfFewer() {
        return trial == Trial.FEWER;
    }

    /// Whether a trial of fewer requests has failed already, by far.
    ///
    /// @param all requests that are completed per second
    boolean isLoss(double all) {
        return trial == Trial.FEWER && 2 * all < formerRate.all();
    }

    boolean isTrial() {
        return trial != Trial.NONE;
    }

    /// Ends a trial as one that has failed.
    void giveUp() {
        floor = former;
        failed = trial;
        trial = Trial.NONE;
        periodsWithout = moreTried ? PERIODS_WITHOUT : 0;
    }

    private void next(Throughput rate, int enough, boolean hasLatency) {
        former = floor;
        formerRate = rate;
        boolean lower = hasLatency || (floor > LOWEST && floor > enough);
        boolean fewer = lower && (trial == Trial.FEWER || failed == Trial.MORE);
        if (fewer) {
            trial = Trial.FEWER;
            floor = lowestTried ? Math.max(LOWEST, floor / 2) : LOWEST;
            lowestTried = true;
        } else if (floor < HIGHEST && trial != Trial.FEWER) {
            trial = Trial.MORE;
            moreTried = true;
            floor *= 2;
        } else {
            periodsWithout = PERIODS_WITHOUT;
            failed = trial == Trial.FEWER ? Trial.FEWER : Trial.MORE;
            trial = Trial.NONE;
        }
    }

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

        /// This throughput as a multiple of a former one: the mean of those of its callers, however many
        /// requests each completes. In a sum, somebody's many short requests would hide that others are not
        /// served any more.
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
}
