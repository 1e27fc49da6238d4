package org.restheart.core.service;

import org.restheart.http.Cors;
import org.restheart.http.IoThreadService;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// `GET /health/live` and `GET /health/ready`: about this process alone, never about MongoDB. A balancer that asked
/// about MongoDB would take all gateways away whenever it elects a primary. Thread-safe.
public record HealthService(Check check, State state) implements IoThreadService {
    public enum Check {
        /// Whether the process answers; if not, it should be started again.
        LIVE,
        /// Whether it should get requests: not while it starts or stops.
        READY
    }

    /// What a process does, as it is known to probes.
    public static final class State {
        private volatile String reason = "the server is starting";
        private boolean stopping;

        /// All listeners accept requests, and the code is exercised if that is wanted.
        public synchronized void ready() {
            if (!stopping) {
                reason = "";
            }
        }

        /// Balancers should send no more requests.
        public synchronized void stopping() {
            stopping = true;
            reason = "the server is stopping";
        }
    }

    @Override
    public Traffic traffic() {
        return Traffic.PROBE;
    }

    @Override
    public Cors cors(Request request) {
        return new Cors("GET, HEAD", Cors.DEFAULT_HEADERS, "");
    }

    @Override
    public Response handle(Request request) {
        request.requireRead();
        var reason = check == Check.READY ? state.reason : "";
        return reason.isEmpty()
                ? Response.json(200, "{\"status\": \"ok\"}")
                : Response.json(503, "{\"status\": \"error\", \"description\": \"" + reason + "\"}");
    }
}
