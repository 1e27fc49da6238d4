package org.restheart.rest.changestream;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.restheart.http.push.Frame;
import org.restheart.http.push.Transport;

/// The metrics of change streams. Thread-safe.
final class StreamMeters {
    private final Map<Transport, AtomicInteger> listeners = new EnumMap<>(Transport.class);
    private final AtomicInteger cursors = new AtomicInteger();
    private final Counter events;
    private final Counter messages;
    private final Counter bytes;
    private final Counter dropped;
    private final Timer lag;

    StreamMeters(MeterRegistry registry) {
        for (var transport : Transport.values()) {
            var count = new AtomicInteger();
            listeners.put(transport, count);
            Gauge.builder("streams_listeners", count, AtomicInteger::get)
                    .description("Open connections that listen to change streams")
                    .tag("transport", transport.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
        Gauge.builder("streams_cursors", cursors, AtomicInteger::get)
                .description("Open change streams of MongoDB")
                .register(registry);
        events = counter(registry, "streams_events", "Changes reported by MongoDB, one per cursor");
        messages = counter(registry, "streams_messages", "Messages handed to connections");
        bytes = counter(registry, "streams_bytes", "Bytes of these messages");
        dropped = counter(registry, "streams_dropped", "Listeners closed because they were too slow");
        lag = Timer.builder("streams_lag")
                .description("From the change in MongoDB to the socket's taking the message, by both clocks")
                .serviceLevelObjectives(
                        Duration.ofMillis(5),
                        Duration.ofMillis(20),
                        Duration.ofMillis(100),
                        Duration.ofMillis(500),
                        Duration.ofSeconds(5))
                .register(registry);
    }

    private static Counter counter(MeterRegistry registry, String name, String description) {
        return Counter.builder(name).description(description).register(registry);
    }

    void joined(Transport transport) {
        of(transport).incrementAndGet();
    }

    void left(Transport transport) {
        of(transport).decrementAndGet();
    }

    private AtomicInteger of(Transport transport) {
        return Objects.requireNonNull(listeners.get(transport));
    }

    void opened() {
        cursors.incrementAndGet();
    }

    void closed() {
        cursors.decrementAndGet();
    }

    void received() {
        events.increment();
    }

    void handedOver(Frame frame) {
        messages.increment();
        bytes.increment(frame.bytes().remaining());
    }

    void sent(Frame frame) {
        long lagging = System.currentTimeMillis() - frame.since();
        if (frame.since() > 0 && lagging >= 0) {
            lag.record(lagging, TimeUnit.MILLISECONDS);
        }
    }

    void dropped() {
        dropped.increment();
    }
}
