package org.restheart.perftest.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.restheart.perftest.workload.Documents;

/// Writes one request after the other. One per thread; threads share the counter of growing numbers.
final class RequestSource {
    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ID_PREFIX =
            Documents.id(0).toHexString().substring(0, 16).getBytes(StandardCharsets.US_ASCII);

    private final byte[] before;
    private final byte[] after;
    private final RequestTemplate.Slot slot;
    private final SplittableRandom random;
    private final AtomicLong steps;

    RequestSource(RequestTemplate traffic, long seed, AtomicLong steps) {
        this.before = traffic.before().getBytes(StandardCharsets.UTF_8);
        this.after = traffic.after().getBytes(StandardCharsets.UTF_8);
        this.slot = traffic.slot();
        this.random = new SplittableRandom(seed);
        this.steps = steps;
    }

    /// The most bytes a request takes.
    int capacity() {
        return before.length + after.length + 24;
    }

    void write(ByteBuffer out) {
        out.put(before);
        switch (slot) {
            case RequestTemplate.Slot.Nothing() -> {}
            case RequestTemplate.Slot.RandomId(var count) -> id(out, random.nextInt(count));
            case RequestTemplate.Slot.RandomNumber(var from, var to) -> number(out, random.nextLong(from, to));
            case RequestTemplate.Slot.GrowingNumber(var from, var step) ->
                number(out, from + steps.getAndIncrement() * step);
        }
        out.put(after);
    }

    private static void id(ByteBuffer out, int i) {
        out.put(ID_PREFIX);
        for (var shift = 28; shift >= 0; shift -= 4) {
            out.put(DIGITS[i >>> shift & 15]);
        }
    }

    private static void number(ByteBuffer out, long value) {
        out.put(Long.toString(value).getBytes(StandardCharsets.US_ASCII));
    }
}
