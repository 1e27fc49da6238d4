package org.restheart.http;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.restheart.http.access.CallerScope;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs tasks sequentially, on a virtual thread that exists only while there are tasks, since most queues are idle.
/// Tasks run for the caller that was current when this was created. Thread-safe.
public final class SerialTasks implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(SerialTasks.class);

    private final String name;
    private final String caller = CallerScope.current();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();

    public SerialTasks(String name) {
        this.name = name;
    }

    /// Never blocks.
    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        if (waiting.getAndIncrement() == 0) {
            Thread.ofVirtual().name(name).start(() -> CallerScope.run(caller, this::run));
        }
    }

    public int waiting() {
        return waiting.get();
    }

    private void run() {
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
