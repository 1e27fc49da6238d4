package org.restheart.perftest.listen;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/// What a listening process has seen. Immutable.
///
/// @param accepted listeners that the server accepted
/// @param troubles by kind: refused or closed connections, gaps, events out of order
/// @param lastAt when the last event arrived, by [System#nanoTime()]
/// @param latencies from sending the document to receiving its event, nanoseconds; HdrHistogram's compressed form in
///     Base64
public record ListenResult(
        int accepted, long deliveries, long bytes, Map<String, Long> troubles, long lastAt, String latencies) {

    static ListenResult of(int accepted, Deliveries deliveries) {
        return new ListenResult(
                accepted,
                deliveries.count(),
                deliveries.bytes(),
                Map.copyOf(deliveries.troubles()),
                deliveries.lastAt(),
                encoded(deliveries.latencies()));
    }

    public Histogram histogram() {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(latencies)), 0);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("not a histogram", e);
        }
    }

    private static String encoded(Histogram histogram) {
        var buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        var length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }
}
