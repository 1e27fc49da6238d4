package org.restheart.perftest.workload;

/// How long to work and what of it to record.
///
/// @param warmUpMillis same load, not recorded
/// @param millis recorded time; the run also ends with this when `operations` is set
/// @param operations stop after so many recorded operations; 0 means by time alone
public record Window(long warmUpMillis, long millis, long operations) {
    public Window {
        atLeast("warm-up", warmUpMillis, 0);
        atLeast("measured time", millis, 1);
        atLeast("operations", operations, 0);
    }

    /// The same with a warm-up of so many milliseconds if its own is shorter.
    public Window atLeastWarmedUp(long leastWarmUpMillis) {
        return new Window(Math.max(warmUpMillis, leastWarmUpMillis), millis, operations);
    }

    public static Window seconds(double warmUp, double measured) {
        return new Window(Math.round(warmUp * 1000), Math.round(measured * 1000), 0);
    }

    static void atLeast(String what, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(what + " must be at least " + least + " but was " + value);
        }
    }
}
