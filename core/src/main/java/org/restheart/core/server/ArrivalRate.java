package org.restheart.core.server;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// How long content may still be waited for: it has to arrive at 500 bytes per second at least, on average
/// over the time that it is waited for, and without a pause of more than the timeout. Earlier bytes do not
/// extend the time. Confined to one request.
final class ArrivalRate {
    private static final long NANOS_PER_BYTE = TimeUnit.SECONDS.toNanos(1) / 500;

    private final long silence;
    private long length;
    private long waited;

    /// @param timeout how long nothing may arrive, and how long content may take before its rate is checked
    ArrivalRate(Duration timeout) {
        this.silence = timeout.toNanos();
    }

    void arrived(int bytes) {
        length += bytes;
    }

    /// @param nanos for which nothing arrived although it was waited for
    void waited(long nanos) {
        waited += nanos;
    }

    /// The bytes that have arrived.
    long length() {
        return length;
    }

    /// In nanoseconds; 0 or less if the content is too slow already.
    long patience() {
        return Math.min(silence, silence + NANOS_PER_BYTE * length - waited);
    }
}
