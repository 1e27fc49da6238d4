package org.restheart.core.server;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/// Generates request ids for the log. Unique among the instances that share a log. Thread-safe.
final class RequestIds {
    private static final int RADIX = 36;

    /// Differs from instance to instance, and from start to start.
    private final String instance =
            Integer.toString(new SecureRandom().nextInt(RADIX * RADIX * RADIX * RADIX * RADIX), RADIX) + "-";

    private final AtomicLong next = new AtomicLong(RADIX * RADIX * RADIX); // four characters at least

    String next() {
        return instance + Long.toString(next.getAndIncrement(), RADIX);
    }
}
