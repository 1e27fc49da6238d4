package org.restheart.core.observation;

import java.util.Optional;
import org.restheart.http.Body;
import org.restheart.http.Fields;
import org.restheart.http.NamedOperation;
import org.restheart.http.Request;
import org.restheart.http.Service.Traffic;

/// Receives completed requests. Thread-safe; also called on I/O threads, so it must not block.
@FunctionalInterface
public interface Observer {
    void completed(Observation observation);

    /// Observes a subscription on a WebSocket as if it were a request, with the method `SUBSCRIBE`.
    default void subscriptionEnded(Request request, NamedOperation operation, int status, long bytes, long nanos) {
        completed(new Observation(
                request.with(Body.EMPTY).with(Traffic.KEY, Traffic.STREAM),
                "SUBSCRIBE",
                status,
                Fields.NONE,
                bytes,
                nanos,
                request.caller().account(),
                Optional.of(operation)));
    }

    static Observer all(Iterable<Observer> observers) {
        return observation -> observers.forEach(observer -> observer.completed(observation));
    }
}
