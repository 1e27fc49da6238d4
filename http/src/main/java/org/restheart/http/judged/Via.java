package org.restheart.http.judged;

import java.util.Arrays;
import java.util.Optional;
import org.restheart.http.Request;
import org.restheart.http.Service;
import org.restheart.http.attribute.Key;

/// The service through which an operation accesses data, as access rules see it (`via(…)`, `action(…)`). Immutable.
///
/// @param action the operation's name in that service; absent for REST
public record Via(Service service, Optional<String> action) {
    public static final Via REST = new Via(Service.REST, Optional.empty());

    /// Set by [JudgedRequests]; a request without it is one that a client sent to the REST API.
    static final Key<Via> KEY = Key.named("via");

    /// The services through which data is accessed.
    public enum Service {
        REST("rest"),
        DATA_API("data-api"),
        MCP("mcp"),
        GRAPHQL("graphql");

        private final String label;

        Service(String label) {
            this.label = label;
        }

        /// Its name in access rules and metrics.
        public String label() {
            return label;
        }

        public static Optional<Service> of(String label) {
            return Arrays.stream(values())
                    .filter(service -> service.label.equals(label))
                    .findFirst();
        }
    }

    public static Via of(Service service, String action) {
        return new Via(service, Optional.of(action));
    }

    public static Via of(Request request) {
        return request.attribute(KEY).orElse(REST);
    }
}
