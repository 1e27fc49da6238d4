package org.restheart.security;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;

/// Locks out a source after too many failed attempts within ten seconds, for ten seconds. Consulted before any password
/// is checked. A source is an address of IPv4 or a network of IPv6; a site has many networks, and is locked out after
/// [#NETWORKS] times as many. Running attempts count as failed until they succeed; further attempts wait for their
/// results. Thread-safe.
public final class BruteForceGuard implements FailedAttempts {
    private static final Duration WINDOW = Duration.ofSeconds(10);
    private static final int NETWORKS = 16;
    private static final int MAX_SOURCES = 100_000;

    private final int maxFailures;
    private final ClientAddress address;
    private final LongSupplier nanos;
    private final Cache<String, Source> sources = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumSize(MAX_SOURCES)
            .expireAfterAccess(WINDOW.multipliedBy(3)) // longer than an attempt takes
            .build();

    public BruteForceGuard(int maxFailures, ClientAddress address) {
        this(maxFailures, address, System::nanoTime);
    }

    BruteForceGuard(int maxFailures, ClientAddress address, LongSupplier nanos) {
        this.maxFailures = maxFailures;
        this.address = address;
        this.nanos = nanos;
    }

    @Override
    public void admit(Request request) {
        if (request.method() == Method.OPTIONS) {
            return;
        }
        var network = address.network(request);
        var site = address.of(request);
        if (isLocked(network) || (!site.equals(network) && isLocked(site))) {
            throw lockedOut();
        }
    }

    @Override
    public void begin(Request request) {
        var begun = new ArrayList<Source>();
        for (var source : sources(request)) {
            if (!source.begin()) {
                begun.forEach(each -> each.end(false));
                throw lockedOut();
            }
            begun.add(source);
        }
    }

    @Override
    public void end(Request request, boolean rejected) {
        sources(request).forEach(source -> source.end(rejected));
    }

    private boolean isLocked(String name) {
        var known = sources.getIfPresent(name);
        return known != null && known.isLocked();
    }

    private List<Source> sources(Request request) {
        var network = address.network(request);
        var site = address.of(request);
        var own = sources.get(network, _ -> new Source(maxFailures));
        return site.equals(network)
                ? List.of(own)
                : List.of(own, sources.get(site, _ -> new Source(maxFailures * NETWORKS)));
    }

    private static ProblemException lockedOut() {
        return Problem.of(
                        ProblemCode.TOO_MANY_REQUESTS,
                        "Too many failed authentication attempts. Please try again later.")
                .with("Retry-After", Long.toString(WINDOW.toSeconds()))
                .raise();
    }

    private final class Source {
        private final int maxFailures;
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();

        /// The times of the latest failures; at most as many as are allowed.
        private final ArrayDeque<Long> failures = new ArrayDeque<>();

        private int running;

        Source(int maxFailures) {
            this.maxFailures = maxFailures;
        }

        /// @return false when the source is locked out
        boolean begin() {
            lock.lock();
            try {
                long left = WINDOW.toNanos();
                while (failuresNow() < maxFailures && failures.size() + running >= maxFailures && left > 0) {
                    left = changed.awaitNanos(left);
                }
                if (failures.size() + running >= maxFailures) {
                    return false;
                }
                running++;
                return true;
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return false;
            } finally {
                lock.unlock();
            }
        }

        void end(boolean rejected) {
            lock.lock();
            try {
                running = Math.max(0, running - 1);
                if (rejected) {
                    failures.addLast(nanos.getAsLong());
                    if (failures.size() > maxFailures) {
                        failures.removeFirst();
                    }
                }
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        boolean isLocked() {
            lock.lock();
            try {
                return failuresNow() >= maxFailures;
            } finally {
                lock.unlock();
            }
        }

        private int failuresNow() {
            long windowBegan = nanos.getAsLong() - TimeUnit.SECONDS.toNanos(WINDOW.toSeconds());
            while (!failures.isEmpty() && failures.getFirst() - windowBegan <= 0) {
                failures.removeFirst();
            }
            return failures.size();
        }
    }
}
