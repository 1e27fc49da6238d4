package org.restheart.core.server;

/// The load of the server, for metrics.
public interface ServerLoad {
    /// Requests whose responses have not been sent yet.
    int inFlight();

    /// Most requests in flight at once.
    int limit();

    /// Connections that are open.
    int connections();

    /// Connections closed at once since the start, because there were too many.
    long refusedConnections();

    /// Requests refused with 503 since the start, because of overload or because the server stops.
    long rejected();
}
