package org.restheart.perftest.worker;

import java.util.Optional;
import org.restheart.perftest.measure.Measurement;

/// A worker's reply: a measurement, or why there is none.
record Answer(Optional<Measurement> measurement, Optional<String> failure) {

    static Answer of(Measurement measurement) {
        return new Answer(Optional.of(measurement), Optional.empty());
    }

    static Answer failed(Throwable cause) {
        return new Answer(Optional.empty(), Optional.of(describe(cause)));
    }

    private static String describe(Throwable cause) {
        return cause.getCause() == null ? cause.toString() : cause + ", because of " + describe(cause.getCause());
    }
}
