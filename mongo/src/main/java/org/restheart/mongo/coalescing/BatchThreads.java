package org.restheart.mongo.coalescing;

import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Where commands wait for MongoDB: on a few platform threads while these suffice, since one of them reads its answer
/// straight from the socket, where a virtual thread is woken by way of a poller and a scheduler; on virtual threads
/// beyond that. Never refuses, never queues. Thread-safe.
final class BatchThreads implements Executor {
    private static final long IDLE_SECONDS = 30;

    private final ThreadFactory more = Thread.ofVirtual().name("command").factory();
    private final ThreadPoolExecutor few;

    /// @param few how many commands may have a platform thread at once
    BatchThreads(int few) {
        this.few = new ThreadPoolExecutor(
                0,
                few,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                Thread.ofPlatform().name("command-", 0).daemon().factory(),
                (command, _) -> more.newThread(command).start());
    }

    @Override
    public void execute(Runnable command) {
        few.execute(command);
    }
}
