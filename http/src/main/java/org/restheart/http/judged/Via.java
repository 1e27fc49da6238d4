package org.restheart.http.judged;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import org.restheart.http.Request;
import org.restheart.http.Service;
import org.restheart.http.attribute.Key;
import org.restheart.text.Words;

/// The service through which an operation accesses data, as access rules see it (`via(…)`, `action(…)`). Immutable.
///
/// @param action the operation's name in that service; absent for REST
public record Via(Service service, Optional<String> action) {
    public static final Via REST = new Via(Service.REST, Optional.empty());

    /// The operations of all services, as `action(…)` names them.
    public static final Set<String> ACTIONS = Words.of("""
        aggregate collection-indexes collection-schema count delete-many deleteMany deleteOne explain find findOne
        insert-many insertMany insertOne list-collections list-databases query replaceOne run-aggregation
        subscription update-document update-many updateMany updateOne watch\
        """);

    /// Set by [JudgedRequests]; a request without it is one that a client sent to the REST API.
    static final Key<Via> KEY = Key.named("via");

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

    /// @param action one of [#ACTIONS]
    public static Via of(Service service, String action) {
        if (!ACTIONS.contains(action)) {
            throw new IllegalArgumentException("not among the actions: " + action);
        }
        return new Via(service, Optional.of(action));
    }

    /// Whether a service other than the REST API asks, which wants to know what a write has done.
    public static boolean isService(Request request) {
        return of(request).service != Service.REST;
    }

    public static Via of(Request request) {
        return request.attribute(KEY).orElse(REST);
    }
}
