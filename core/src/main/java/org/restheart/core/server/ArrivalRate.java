package org.restheart.core.server;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// The timeout of content that is still arriving: in any time in which the server waits for it, at least 500 bytes per
/// second must arrive, but for a configured timeout. What has arrived before buys no longer wait: clients could hold
/// memory and places for hours by sending most of their content at once. Confined to one request.
///
/// This is a token bucket: bytes add time to it, but never more than the timeout, and waiting takes time out.
final class ArrivalRate {
    private static final long NANOS_PER_BYTE = TimeUnit.SECONDS.toNanos(1) / 500;

    private final long maxPause;
    private long length;

    /// How long may be waited, in nanoseconds.
    private long left;

    /// @param timeout how long nothing may arrive, and how long content may take before its rate is checked
    ArrivalRate(Duration timeout) {
        this.maxPause = timeout.toNanos();
        this.left = maxPause;
    }

    /// To be called after [#waited] for the wait that these bytes have ended.
    void arrived(int bytes) {
        length += bytes;
        left = Math.min(maxPause, left + NANOS_PER_BYTE * bytes);
    }

    /// @param nanos time for which the server waited and nothing arrived
    void waited(long nanos) {
        left -= nanos;
    }

    /// The bytes that have arrived.
    long length() {
        return length;
    }

    /// How long to wait for the next bytes, in nanoseconds; 0 or less if the content is too slow already.
    long timeout() {
        return left;
    }
}
