package org.restheart.http.push;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Bounds the bytes of messages queued in all backlogs together; a shared message counts once. Beyond the bound,
/// backlogs are ended with [Ending#TOO_SLOW]: first the fullest one of the caller that holds most, so that
/// receivers that do not read cost only their own caller. A caller may hold half of the bound. Thread-safe.
///
/// Only the total is updated with each message. The bytes of each caller are computed when the total has grown by a
/// sixteenth of the bound: a shared message is divided evenly among the backlogs that contain it.
public final class PushBudget {
    private static final Logger LOG = LoggerFactory.getLogger(PushBudget.class);

    private static final long REPORTS = 10_000_000_000L;

    private final long limit;
    private final long step;
    private final Runnable onEnded;
    private final AtomicLong held = new AtomicLong();
    private final Set<Backlog> holders = ConcurrentHashMap.newKeySet();
    private final ReentrantLock balancing = new ReentrantLock();
    private volatile long next;

    /// Guarded by the lock, like the next one.
    private int unreported;

    private long reported = System.nanoTime() - REPORTS;

    /// @param onEnded called for each backlog that is ended for the sake of the bound; must not block
    public PushBudget(long limit, Runnable onEnded) {
        this.limit = limit;
        this.step = limit / 16;
        this.onEnded = onEnded;
        this.next = limit / 2;
    }

    /// The bytes of queued messages and of those that are being sent.
    public long held() {
        return held.get();
    }

    int holders() {
        return holders.size();
    }

    void join(Backlog backlog) {
        holders.add(backlog);
    }

    void leave(Backlog backlog) {
        holders.remove(backlog);
    }

    /// @return whether [#balance] has to be called, without a lock of any backlog
    boolean hold(Frame frame) {
        return frame.hold() && held.addAndGet(frame.length()) > next;
    }

    void release(Frame frame) {
        if (frame.release() && held.addAndGet(-frame.length()) < limit / 2 && next != limit / 2) {
            next = limit / 2;
        }
    }

    /// Ends backlogs if one caller holds more than half of the bound, or all together more than the bound.
    void balance() {
        if (held.get() > limit) {
            balancing.lock();
        } else if (!balancing.tryLock()) {
            return; // somebody else does it
        }
        try {
            if (held.get() > next) {
                endFullest();
                long now = held.get(); // ended ones release what they are sending soon
                next = now < limit ? Math.clamp(now + step, limit / 2, limit) : now + step;
            }
        } finally {
            balancing.unlock();
        }
    }

    private void endFullest() {
        var callers = new PriorityQueue<>(
                Comparator.comparingDouble((Caller caller) -> caller.held).reversed());
        callers.addAll(callers());
        double all = callers.stream().mapToDouble(caller -> caller.held).sum();
        double wanted = all > limit ? limit - 4.0 * step : all;
        int ended = 0;
        for (var most = callers.poll(); most != null; most = callers.poll()) {
            if (all <= wanted && most.held <= limit / 2.0) {
                break;
            }
            var fullest = most.backlogs.removeLast();
            if (fullest.backlog.shed()) {
                ended++;
                onEnded.run();
            }
            all -= fullest.bytes;
            most.held -= fullest.bytes;
            if (!most.backlogs.isEmpty()) {
                callers.add(most);
            }
        }
        report(ended);
    }

    /// Logs ended backlogs, at most once in [#REPORTS], so that a client cannot fill the log.
    private void report(int ended) {
        unreported += ended;
        long now = System.nanoTime();
        if (unreported > 0 && now - reported >= REPORTS) {
            LOG.warn(
                    "{} listeners were too slow and are closed: more than {} bytes were waiting for those of one"
                            + " caller, or more than {} for all",
                    unreported,
                    limit / 2,
                    limit);
            unreported = 0;
            reported = now;
        }
    }

    private List<Caller> callers() {
        Map<String, Caller> callers = new HashMap<>();
        for (var backlog : holders) {
            double bytes = backlog.part();
            if (bytes > 0) {
                var caller = callers.computeIfAbsent(backlog.caller(), _ -> new Caller());
                caller.held += bytes;
                caller.backlogs.add(new Weighed(backlog, bytes));
            }
        }
        callers.values().forEach(caller -> caller.backlogs.sort(Comparator.comparingDouble(Weighed::bytes)));
        return List.copyOf(callers.values());
    }

    /// A caller's backlogs and the bytes in them.
    private static final class Caller {
        private final List<Weighed> backlogs = new ArrayList<>();
        private double held;
    }

    private record Weighed(Backlog backlog, double bytes) {}
}
