package org.restheart.mongo.coalescing;

import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// The threads of commands: a few platform threads, since these read directly from the socket, while a virtual
/// thread is woken by a poller and a scheduler; virtual threads beyond that. Never refuses, never queues.
/// Thread-safe.
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
