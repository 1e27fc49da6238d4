package org.restheart.core.server;

/// How busy the server is; for metrics.
public interface ServerLoad {
    /// Requests that have arrived and whose responses are not sent yet.
    int inFlight();

    /// Most requests in flight at once.
    int limit();

    /// Requests refused with 503 since the start, for want of room or because the server stops.
    long rejected();
}
