package org.restheart.core.server;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// The timeout of content that is still arriving: it must arrive at an average of at least 500 bytes per second of
/// waiting, and without a pause longer than a configured timeout. Confined to one request.
final class ArrivalRate {
    private static final long NANOS_PER_BYTE = TimeUnit.SECONDS.toNanos(1) / 500;

    private final long maxPause;
    private long length;
    private long waited;

    /// @param timeout how long nothing may arrive, and how long content may take before its rate is checked
    ArrivalRate(Duration timeout) {
        this.maxPause = timeout.toNanos();
    }

    void arrived(int bytes) {
        length += bytes;
    }

    /// @param nanos time for which the server waited and nothing arrived
    void waited(long nanos) {
        waited += nanos;
    }

    /// The bytes that have arrived.
    long length() {
        return length;
    }

    /// How long to wait for the next bytes, in nanoseconds; 0 or less if the content is too slow already.
    long timeout() {
        return Math.min(maxPause, maxPause + NANOS_PER_BYTE * length - waited);
    }
}
