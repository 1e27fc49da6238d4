package org.restheart.core.streams;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.restheart.testkit.EventStreamClient;

/// Listens to a stream as server-sent events.
final class SseListener extends EventStreamClient {
    /// @param lastEventId of the last event that is known; null for none
    SseListener(StreamsGateway gateway, String target, @Nullable String lastEventId) throws IOException {
        this(gateway, target, lastEventId == null ? List.of() : List.of("Last-Event-ID: " + lastEventId));
    }

    private SseListener(StreamsGateway gateway, String target, List<String> fields) throws IOException {
        super(gateway.uri("http", target).getPort(), "GET " + target, fields, "");
    }

    /// @param fields of the request, further ones
    static SseListener open(StreamsGateway gateway, String target, String... fields) throws IOException {
        return new SseListener(gateway, target, List.of(fields));
    }

    /// The next id, also one without an event.
    String nextId() throws IOException {
        for (var line = readLine(); line != null; line = readLine()) {
            if (line.startsWith("id:")) {
                return line.substring(3);
            }
        }
        throw ended();
    }

    int nextN() throws IOException {
        return next().document().getDocument("fullDocument").getInt32("n").getValue();
    }
}
