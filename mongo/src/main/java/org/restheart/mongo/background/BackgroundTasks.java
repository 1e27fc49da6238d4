package org.restheart.mongo.background;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The background threads of a gateway: repeated tasks, started by one scheduler, and long tasks, such as following a
/// change stream. All end together, before the MongoDB client is closed. They are not interrupted, since an interrupted
/// read would leave its cursor open in MongoDB. Thread-safe.
public final class BackgroundTasks implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundTasks.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("scheduler").daemon().factory());

    /// Starts a task on a new virtual thread. It must end within [#TIMEOUT] once [#isRunning] is false.
    public void start(String name, Runnable task) {
        var thread = Thread.ofVirtual().name(name).unstarted(() -> {
            try {
                task.run();
            } catch (RuntimeException e) {
                if (isRunning()) {
                    throw e;
                }
                // has not ended in time, and its client is closed
                LOG.debug("the task {} has failed after the stop", name, e);
            } finally {
                threads.remove(Thread.currentThread());
            }
        });
        threads.add(thread);
        thread.start();
    }

    /// Runs a task, which may block, periodically on virtual threads, never twice at a time.
    public void repeat(String name, Duration period, Runnable task) {
        repeat(name, period, () -> true, task);
    }

    /// As [#repeat(String, Duration, Runnable)], whenever it has something to do.
    ///
    /// @param needed must not block
    public void repeat(String name, Duration period, BooleanSupplier needed, Runnable task) {
        var busy = new AtomicBoolean();
        var _ = scheduler.scheduleWithFixedDelay(
                () -> {
                    if (needed.getAsBoolean() && busy.compareAndSet(false, true)) {
                        start(name, () -> run(name, task, busy));
                    }
                },
                period.toNanos(),
                period.toNanos(),
                TimeUnit.NANOSECONDS);
    }

    private void run(String name, Runnable task, AtomicBoolean busy) {
        try {
            if (isRunning()) {
                task.run();
            }
        } catch (RuntimeException e) {
            LOG.warn("The task {} has failed and is tried again later", name, e);
        } finally {
            busy.set(false);
        }
    }

    public boolean isRunning() {
        return stopped.getCount() > 0;
    }

    /// Waits for that long, or until [#stop].
    public void pause(Duration duration) {
        try {
            var _ = stopped.await(duration.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Requests all tasks to end. Returns at once.
    public void stop() {
        stopped.countDown();
        scheduler.shutdownNow();
    }

    /// As [#stop], and waits until they have ended, for some seconds.
    @Override
    public void close() {
        stop();
        long until = System.nanoTime() + TIMEOUT.toNanos();
        try {
            for (var thread : threads) {
                if (!thread.join(Duration.ofNanos(until - System.nanoTime()))) {
                    LOG.info("{} has not ended in time: MongoDB may keep its cursor for a while", thread.getName());
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
