package org.restheart.core.server;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.XnioIoThread;

/// The connections of one I/O thread with messages to send: one wake-up of the thread serves all of them.
/// Thread-safe.
final class PushLoop implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(PushLoop.class);

    /// Connections that are served before requests get their turn.
    private static final int TURN = 256;

    private final XnioIoThread thread;
    private final ConcurrentLinkedQueue<PushConnection> ready = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    PushLoop(XnioIoThread thread) {
        this.thread = thread;
    }

    /// Never blocks. Each connection is added only once until it is served.
    void add(PushConnection connection) {
        ready.add(connection);
        schedule();
    }

    private void schedule() {
        if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
            try {
                thread.execute(this);
            } catch (RejectedExecutionException _) {
                LOG.debug("the server has stopped");
            }
        }
    }

    @Override
    public void run() {
        SoleConnection.messagesPushed();
        scheduled.set(false); // connections added from here on schedule another run
        for (int served = 0; served < TURN; served++) {
            var connection = ready.poll();
            if (connection == null) {
                return;
            }
            connection.drain();
        }
        schedule();
    }
}
