package org.restheart.perftest.worker;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.restheart.perftest.measure.Measurement;

/// What a worker says: any number of times how far it is, then what it measured or why it could not.
@JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
sealed interface WorkerMessage {

    /// @param done from 0 to 1
    record Progress(double done) implements WorkerMessage {}

    record Measured(Measurement measurement) implements WorkerMessage {}

    record Failed(String reason) implements WorkerMessage {
        static Failed because(Throwable cause) {
            return new Failed(describe(cause));
        }

        private static String describe(Throwable cause) {
            return cause.getCause() == null ? cause.toString() : cause + ", because of " + describe(cause.getCause());
        }
    }
}
