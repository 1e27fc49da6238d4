package org.restheart.core;

import java.util.concurrent.ConcurrentLinkedDeque;

/// Closes resources in reverse order, each once, even if closing another fails. Thread-safe.
final class ClosingOrder implements AutoCloseable {
    private final ConcurrentLinkedDeque<Runnable> parts = new ConcurrentLinkedDeque<>();

    void push(Runnable part) {
        parts.push(part);
    }

    @Override
    public void close() {
        var part = parts.poll();
        if (part != null) {
            try {
                part.run();
            } finally {
                close();
            }
        }
    }
}
