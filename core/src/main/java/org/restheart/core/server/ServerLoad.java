package org.restheart.core.server;

/// The load of the server, for metrics. Thread-safe.
public final class ServerLoad {
    private final Admission admission;
    private final ConnectionLimit connections;

    ServerLoad(Admission admission, ConnectionLimit connections) {
        this.admission = admission;
        this.connections = connections;
    }

    /// Requests whose responses have not been sent yet.
    public int inFlight() {
        return admission.inFlight();
    }

    /// Most requests in flight at once.
    public int limit() {
        return admission.limit();
    }

    public int connections() {
        return connections.open();
    }

    /// Connections closed at once since the start, because there were too many.
    public long refusedConnections() {
        return connections.refused();
    }

    /// Requests refused with 503 since the start, because of overload or because the server stops.
    public long rejected() {
        return admission.rejected();
    }
}
