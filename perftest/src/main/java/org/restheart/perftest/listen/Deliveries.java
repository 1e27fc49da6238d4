package org.restheart.perftest.listen;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.restheart.perftest.measure.Latency;

/// Counts what all listeners of a process receive. Confined to the loop's thread.
final class Deliveries {
    private final Histogram latencies = Latency.histogram();
    private final Map<String, Long> troubles = new TreeMap<>();
    private long count;
    private long bytes;
    private long lastAt = System.nanoTime();

    /// One listener's memory: the number of the last event. Events are numbered from 1.
    static final class Subscriber {
        private long last;
    }

    /// @param text holds one event's JSON between the two positions
    void event(Subscriber subscriber, ByteBuffer text, int from, int to) {
        var number = EventText.number(text, from, to);
        if (number == EventText.ABSENT) {
            trouble("message without a number");
            return;
        }
        lastAt = System.nanoTime();
        if (number <= subscriber.last) {
            trouble("event out of order or twice");
        } else {
            if (number > subscriber.last + 1) {
                trouble("gap before an event");
            }
            subscriber.last = number;
        }
        count++;
        Latency.record(latencies, lastAt - EventText.sentAt(text, from, to));
    }

    void received(int n) {
        bytes += n;
    }

    void trouble(String kind) {
        troubles.merge(kind, 1L, Long::sum);
    }

    long count() {
        return count;
    }

    long bytes() {
        return bytes;
    }

    /// When the last event arrived; when counting began, if none has.
    long lastAt() {
        return lastAt;
    }

    Map<String, Long> troubles() {
        return troubles;
    }

    Histogram latencies() {
        return latencies;
    }
}
