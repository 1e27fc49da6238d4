package org.restheart.core.server;

import io.undertow.server.HttpServerExchange;

/// What is done at the end of an exchange, however it ends: its response was sent, or its client has gone.
final class AtEnd {
    private AtEnd() {}

    /// Runs a task at the end of the exchange, or at once if that has ended.
    ///
    /// @param task must not throw
    static void of(HttpServerExchange exchange, Runnable task) {
        try {
            exchange.addExchangeCompleteListener((_, next) -> {
                task.run();
                next.proceed();
            });
        } catch (IllegalStateException _) { // Undertow takes no listener any more: the task would never run
            task.run();
        }
    }
}
