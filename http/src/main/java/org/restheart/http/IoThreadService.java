package org.restheart.http;

/// A service whose requests are all first tried on the I/O thread that received them.
public interface IoThreadService extends Service {
    @Override
    default boolean startsOnIoThread(Request request) {
        return true;
    }
}
