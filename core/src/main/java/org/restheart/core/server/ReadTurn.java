package org.restheart.core.server;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.xnio.XnioIoThread;

/// The work on one connection's received bytes between two turns of the thread's other connections: a
/// client that sends as fast as its bytes are read would keep the I/O thread for as long as it likes,
/// also in tasks that follow each other: the thread runs all that are due before it looks which
/// connections are ready. Confined to the I/O thread.
final class ReadTurn {
    private static final int READS = 16;
    private static final long NANOS = 1_000_000;
    private static final ThreadLocal<Later> LATER = ThreadLocal.withInitial(Later::new);

    private static final LongAdder DELAYED = new LongAdder();

    /// How long frames are read that come without pause. Longer than other turns, since it is known that the thread
    /// has done nothing else in between.
    private static final long LONG = 4_000_000;

    private final long began = System.nanoTime();
    private int reads;

    private long looks;

    /// To be called after each read and what was done with its bytes.
    ///
    /// @return whether it is the turn of others
    boolean isOver() {
        return ++reads >= READS || System.nanoTime() - began >= NANOS;
    }

    /// The turn of a connection whose reads are not followed by [#read].
    static ReadTurn begin(XnioIoThread thread) {
        var turn = new ReadTurn();
        turn.looks = looks(thread);
        return turn;
    }

    /// Whether the thread has done nothing but tasks since the beginning.
    boolean isUninterrupted(XnioIoThread thread) {
        return looks == looks(thread);
    }

    /// Whether it is the turn of others if this one was not interrupted.
    boolean isLong() {
        return System.nanoTime() - began >= LONG;
    }

    /// A number that grows within milliseconds after the thread has looked which connections are ready. On the thread.
    private static long looks(XnioIoThread thread) {
        var later = LATER.get();
        later.watch(thread);
        return later.looks;
    }

    /// Reads for one turn, and for further ones as long as more may have arrived. On the I/O thread.
    ///
    /// @param read reads for one turn; whether it is over and more may have arrived
    /// @param suspend stops notices of bytes that arrive
    /// @param resume lets them come again, if there is still a connection
    static void read(XnioIoThread thread, BooleanSupplier read, Runnable suspend, Runnable resume) {
        if (read.getAsBoolean()) {
            suspend.run();
            LATER.get().add(thread, () -> {
                boolean more = read.getAsBoolean();
                if (!more) {
                    resume.run();
                }
                return more;
            });
        }
    }

    /// How often requests have waited for another turn since the start, for tests.
    static long later() {
        return DELAYED.sum();
    }

    /// Handles the next of a connection's requests, and as many as one turn has, after other connections had theirs.
    static void later(XnioIoThread thread, Runnable requests) {
        DELAYED.increment();
        var later = LATER.get();
        later.add(thread, () -> {
            requests.run();
            later.began -= NANOS; // the others follow in tasks of their own
            return false;
        });
    }

    /// The connections of this thread that wait for another turn. They have a bounded time together, however many
    /// there are. The next one begins after a pause, so that not always a task is due.
    private static final class Later {
        private static final long TOGETHER = 4_000_000;
        private static final long PAUSE_MILLIS = 1;

        private final Queue<BooleanSupplier> waiting = new ArrayDeque<>();
        private boolean scheduled;
        private long began;
        private boolean watching;
        private long looks;

        /// The thread begins what is due later only when no other task is left.
        void watch(XnioIoThread thread) {
            if (!watching) {
                watching = true;
                var _ = Exchanges.executeAfter(
                        thread,
                        () -> {
                            watching = false;
                            looks++;
                        },
                        PAUSE_MILLIS);
            }
        }

        void add(XnioIoThread thread, BooleanSupplier turn) {
            waiting.add(turn);
            if (!scheduled) {
                schedule(thread);
            }
        }

        private void schedule(XnioIoThread thread) {
            scheduled = true;
            var _ = Exchanges.executeAfter(thread, () -> run(thread), PAUSE_MILLIS);
        }

        private void run(XnioIoThread thread) {
            began = System.nanoTime();
            try {
                for (int left = waiting.size(); left > 0 && System.nanoTime() - began < TOGETHER; left--) {
                    var turn = waiting.remove();
                    if (turn.getAsBoolean()) {
                        waiting.add(turn);
                    }
                }
            } finally {
                scheduled = false;
                if (!waiting.isEmpty()) {
                    schedule(thread);
                }
            }
        }
    }
}
