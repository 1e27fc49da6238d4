package org.restheart.perftest.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.restheart.perftest.load.HttpConnection.State;
import org.restheart.perftest.measure.Clock;
import org.restheart.perftest.measure.Tally;

/// Drives some of the connections until the clock is over, then waits up to five seconds for the responses that have
/// not arrived, so that requests of this measurement do not slow down the next one.
final class LoadThread implements Callable<Tally> {
    private static final long SECOND = 1_000_000_000L;
    private static final long TIMEOUT = 60 * SECOND;
    private static final long LAST_ANSWERS = 5 * SECOND;
    private static final long RECONNECT_AFTER = SECOND / 10;
    private static final long ONE_MILLISECOND = 1_000_000L;
    private static final long SHORTEST_PAUSE = 50_000L;

    private final RequestSource source;
    private final Clock clock;
    private final Schedule schedule;
    private final boolean open;
    private final ThreadUse busy;
    private final Tally tally = new Tally();
    private final Selector selector;
    private final List<HttpConnection> connections;
    /// Connections without a request, under an open load. May hold some that have failed since.
    private final ArrayDeque<HttpConnection> idle = new ArrayDeque<>();
    private final ByteBuffer in = ByteBuffer.allocateDirect(256 * 1024);
    private long now;
    private long nextInspection;

    /// The connections of one thread. Opening thousands takes longer than a warm-up, so the clock starts afterwards.
    record Connections(Selector selector, List<HttpConnection> all, RequestSource source) {

        static Connections open(InetSocketAddress address, int count, RequestSource source) throws IOException {
            var selector = Selector.open();
            var all = new ArrayList<HttpConnection>();
            for (var i = 0; i < count; i++) {
                all.add(new HttpConnection(address, selector, source.capacity()));
            }
            return new Connections(selector, all, source);
        }
    }

    /// @param schedule used under an open load only
    LoadThread(Connections connections, Clock clock, Schedule schedule, boolean open) {
        this.selector = connections.selector();
        this.connections = connections.all();
        this.source = connections.source();
        this.clock = clock;
        this.schedule = schedule;
        this.open = open;
        this.busy = new ThreadUse(clock);
    }

    @Override
    public Tally call() throws IOException {
        try (selector) {
            now = System.nanoTime();
            while (!clock.over(now)) {
                sendDue();
                await();
                now = System.nanoTime();
                inspect();
                busy.look(now);
            }
            busy.share(now).ifPresent(tally::busy);
            tally.behind(open ? schedule.behind(Math.min(now, clock.end())) : 0);
            var giveUp = now + LAST_ANSWERS;
            while (now < giveUp && connections.stream().anyMatch(c -> c.state() == State.BUSY)) {
                selector.select(this::ready, 100);
                now = System.nanoTime();
            }
            for (var connection : connections) {
                connection.close();
            }
        }
        return tally;
    }

    private void sendDue() {
        while (open && schedule.due() <= now) {
            var connection = idle.poll();
            if (connection == null) {
                return;
            }
            if (connection.state() == State.IDLE) {
                send(connection, schedule.due());
                schedule.take();
            }
        }
    }

    /// Closed loads sleep until a response arrives. Open loads also wake for the next request that is due. A selector
    /// counts in milliseconds, so the last one is spent in pauses of 50 microseconds, which costs CPU.
    private void await() throws IOException {
        var pause = open && !idle.isEmpty() ? schedule.due() - System.nanoTime() : 100 * ONE_MILLISECOND;
        if (pause > ONE_MILLISECOND) {
            selector.select(this::ready, pause / ONE_MILLISECOND);
        } else {
            selector.selectNow(this::ready);
            if (pause > SHORTEST_PAUSE) {
                LockSupport.parkNanos(SHORTEST_PAUSE);
            }
        }
    }

    private void ready(SelectionKey key) {
        var connection = (HttpConnection) key.attachment();
        try {
            if (key.isConnectable()) {
                connection.finishConnect();
                idle(connection);
                return;
            }
            if (key.isWritable()) {
                connection.flush();
            }
            if (key.isReadable()) {
                receive(connection);
            }
        } catch (IOException e) {
            failed(connection, kind(e));
        }
    }

    private void receive(HttpConnection connection) throws IOException {
        var n = connection.read(in);
        if (n < 0) {
            if (connection.state() == State.BUSY) {
                throw new IOException("closed without an answer");
            }
            connection.reconnect();
            idle(connection);
            return;
        }
        now = System.nanoTime();
        if (clock.recording(now)) {
            tally.received(n);
        }
        if (!connection.responseComplete(in)) {
            return;
        }
        answered(connection);
        if (connection.closing()) {
            connection.reconnect();
        }
        idle(connection);
    }

    private void answered(HttpConnection connection) {
        if (clock.takes(now)) {
            if (isExpected(connection.status())) {
                tally.success(now, now - connection.since());
            } else {
                tally.failure(now, "HTTP " + connection.status());
            }
        }
    }

    private static boolean isExpected(int status) {
        return (status >= 200 && status < 300) || status == 304;
    }

    /// Does nothing while the connection is being opened; it comes back here when it is.
    private void idle(HttpConnection connection) {
        if (connection.state() != State.IDLE) {
            return;
        }
        if (open) {
            idle.add(connection);
        } else if (!clock.over(now)) {
            send(connection, System.nanoTime());
        }
    }

    private void send(HttpConnection connection, long since) {
        try {
            connection.send(source, since);
        } catch (IOException e) {
            failed(connection, kind(e));
        }
    }

    private void failed(HttpConnection connection, String kind) {
        if (clock.takes(now)) {
            tally.failure(now, kind);
        }
        try {
            connection.failed(now + RECONNECT_AFTER);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Once in a while: requests without an answer for too long, and failed connections to be opened again.
    private void inspect() {
        if (now < nextInspection) {
            return;
        }
        nextInspection = now + RECONNECT_AFTER;
        for (var connection : connections) {
            if (connection.state() == State.BUSY && now - connection.since() > TIMEOUT) {
                failed(connection, "timeout");
            } else if (connection.state() == State.FAILED && now >= connection.since()) {
                reconnect(connection);
            }
        }
    }

    private void reconnect(HttpConnection connection) {
        try {
            connection.reconnect();
            idle(connection);
        } catch (IOException e) {
            failed(connection, kind(e));
        }
    }

    private static String kind(IOException e) {
        var message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }

    /// The moments at which one thread's requests are due under an open load. Not thread-safe.
    static final class Schedule {
        private final long start;
        private final double interval;
        private long taken;

        /// @param start of the load, by [System#nanoTime()]
        /// @param perSecond this thread's share of the rate
        /// @param offset part of an interval by which this thread follows, so that threads do not send in step
        Schedule(long start, double perSecond, double offset) {
            this.interval = 1e9 / perSecond;
            this.start = start + (long) (offset * interval);
        }

        /// When the next request is due, by [System#nanoTime()].
        long due() {
            return start + (long) (taken * interval);
        }

        void take() {
            taken++;
        }

        /// Requests due before `now` that no connection has taken.
        long behind(long now) {
            return Math.max(0, (long) Math.ceil((now - start) / interval) - taken);
        }
    }

    /// Which share of the recorded time the current thread has run. Confined to that thread.
    private static final class ThreadUse {
        private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        private final Clock clock;
        private long since;
        private long cpuBefore;

        ThreadUse(Clock clock) {
            this.clock = clock;
        }

        /// To be called now and then; begins to count when recording does.
        ///
        /// @param now as by [System#nanoTime()]
        void look(long now) {
            if (since == 0 && clock.recording(now)) {
                since = now;
                cpuBefore = threads.getCurrentThreadCpuTime();
            }
        }

        /// From 0 to 1; empty when nothing was recorded.
        Optional<Double> share(long now) {
            return since == 0 || now <= since
                    ? Optional.empty()
                    : Optional.of((double) (threads.getCurrentThreadCpuTime() - cpuBefore) / (now - since));
        }
    }
}
