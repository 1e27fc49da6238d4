package org.restheart.perftest.listen;

import java.util.List;

/// What a listening process is asked to do. Immutable.
///
/// @param targets the same stream on one or more gateways; connections are dealt out among them in turn
/// @param listeners in all
/// @param streamsPerConnection with HTTP/2; else 1
/// @param stalled connections besides the listeners that are opened and then never read
/// @param events that every listener waits for
/// @param timeoutMillis end of the wait after the last event that has arrived
public record ListenOrder(
        List<Target> targets,
        ListenTransport transport,
        int listeners,
        int streamsPerConnection,
        int stalled,
        int events,
        long timeoutMillis) {

    public ListenOrder {
        targets = List.copyOf(targets);
        if (transport != ListenTransport.http2 && streamsPerConnection != 1) {
            throw new IllegalArgumentException("only HTTP/2 has more than one stream per connection");
        }
        if (targets.isEmpty() || listeners < 1 || streamsPerConnection < 1) {
            throw new IllegalArgumentException("needs a target, a listener and a stream per connection");
        }
    }

    public enum ListenTransport {
        websocket,
        /// Server-Sent Events over HTTP/2, many per connection.
        http2
    }
}
