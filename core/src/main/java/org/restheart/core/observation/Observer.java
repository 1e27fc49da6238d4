package org.restheart.core.observation;

/// Wants to know of requests that are over. Thread-safe; called on I/O threads among others, so it never waits.
@FunctionalInterface
public interface Observer {
    void completed(Observation observation);

    /// All of them, in order.
    static Observer all(Iterable<Observer> observers) {
        return observation -> observers.forEach(observer -> observer.completed(observation));
    }
}
