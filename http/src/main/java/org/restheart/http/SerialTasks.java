package org.restheart.http;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.restheart.http.access.CallerScope;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs tasks sequentially, on a virtual thread that exists only while there are tasks, since most queues are idle.
/// Tasks run for the caller that was current when this was created. Thread-safe.
public final class SerialTasks implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(SerialTasks.class);

    private final String name;
    private final Duration pause;
    private final String caller = CallerScope.current();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();

    public SerialTasks(String name) {
        this(name, Duration.ZERO);
    }

    /// @param pause before the first of several tasks is run: to start a thread costs more than a small task
    public SerialTasks(String name, Duration pause) {
        this.name = name;
        this.pause = pause;
    }

    /// Never blocks.
    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        if (waiting.getAndIncrement() == 0) {
            Thread.ofVirtual().name(name).start(() -> CallerScope.run(caller, this::run));
        }
    }

    /// The number of tasks that are not completed.
    public int waiting() {
        return waiting.get();
    }

    /// Waits until the tasks that are there now are completed: the process does not wait for virtual threads.
    ///
    /// @param most how long
    /// @return false if they are not completed by then, or the current thread is interrupted
    public boolean drain(Duration most) {
        if (waiting() == 0) {
            return true;
        }
        var drained = new CountDownLatch(1);
        execute(drained::countDown);
        try {
            return drained.await(most.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void run() {
        if (!pause.isZero()) {
            LockSupport.parkNanos(pause.toNanos());
        }
        do {
            var task = tasks.poll();
            if (task != null) {
                runSafely(task);
            }
        } while (waiting.decrementAndGet() > 0);
    }

    /// Later tasks are run also after a failure, even of the JVM: without their thread they would wait forever.
    private void runSafely(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            Fatal.exitOn(e);
            LOG.error("a task of {} failed", name, e);
        }
    }
}
