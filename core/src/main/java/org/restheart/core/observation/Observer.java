package org.restheart.core.observation;

/// Receives completed requests. Thread-safe; also called on I/O threads, so it must not block.
@FunctionalInterface
public interface Observer {
    void completed(Observation observation);

    /// All of them, in order.
    static Observer all(Iterable<Observer> observers) {
        return observation -> observers.forEach(observer -> observer.completed(observation));
    }
}
