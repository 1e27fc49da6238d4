package org.restheart.perftest.load;

import com.fasterxml.jackson.annotation.JsonTypeInfo;

/// When the next request is sent.
@JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
public sealed interface Pace {

    /// As soon as the connection's last response has arrived.
    record Closed() implements Pace {}

    /// At a constant rate, whatever the server does. Latency counts from the moment a request was due, so a server that
    /// stalls is charged for all that it kept waiting (no coordinated omission).
    ///
    /// @param perSecond over all connections
    record Open(double perSecond) implements Pace {
        public Open {
            if (!(perSecond > 0)) {
                throw new IllegalArgumentException("rate must be positive but was " + perSecond);
            }
        }
    }
}
