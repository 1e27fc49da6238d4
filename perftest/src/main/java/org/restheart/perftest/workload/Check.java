package org.restheart.perftest.workload;

final class Check {
    private Check() {}

    static void atLeast(String what, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(what + " must be at least " + least + " but was " + value);
        }
    }
}
