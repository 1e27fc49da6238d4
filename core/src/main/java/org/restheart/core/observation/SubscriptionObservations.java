package org.restheart.core.observation;

import java.util.Optional;
import org.restheart.graphql.SubscriptionObserver;
import org.restheart.http.Body;
import org.restheart.http.Fields;
import org.restheart.http.NamedOperation;
import org.restheart.http.Request;

/// Observes subscriptions on WebSockets as if they were requests, with the method `SUBSCRIBE`.
///
/// @param observer receives them
public record SubscriptionObservations(Observer observer) implements SubscriptionObserver {
    private static final String METHOD = "SUBSCRIBE";

    @Override
    public void ended(Request request, NamedOperation operation, int status, long bytes, long nanos) {
        observer.completed(new Observation(
                request.with(Body.EMPTY),
                METHOD,
                status,
                Fields.NONE,
                bytes,
                nanos,
                request.caller().account(),
                Optional.of(operation)));
    }
}
