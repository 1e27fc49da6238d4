package org.restheart.mongo.coalescing;

import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/// Concurrent callers of one task.
final class ManyClients {
    private static final int CLIENTS = 64;

    private ManyClients() {}

    /// Runs the task that many times in all; fails if any call throws.
    static void run(int operations, Callable<Void> task) throws Exception {
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var left = new AtomicInteger(operations);
            var clients = new ArrayList<Callable<Void>>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(() -> {
                    while (left.getAndDecrement() > 0) {
                        task.call();
                    }
                    return null;
                });
            }
            for (var client : callers.invokeAll(clients)) {
                client.get();
            }
        }
    }
}
