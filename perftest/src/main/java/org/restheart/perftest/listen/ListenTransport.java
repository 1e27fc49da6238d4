package org.restheart.perftest.listen;

/// How listeners are connected.
public enum ListenTransport {
    websocket,
    sse,
    /// Server-Sent Events over HTTP/2, many per connection.
    http2
}
