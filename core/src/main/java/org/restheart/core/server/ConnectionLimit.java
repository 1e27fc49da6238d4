package org.restheart.core.server;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.restheart.security.ClientAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.IoUtils;
import org.xnio.StreamConnection;

/// Limits the connections of all clients together, and those of each address. An address may open another
/// connection while it has fewer than [#SHARE] times as many as are free (dynamic thresholds), but for those that are
/// kept for addresses without any. So one client can have nearly all of them, as tens of thousands of listeners on one
/// machine do, and some remain for other clients, also of some clients with several addresses. Thread-safe.
///
/// Undertow replaces the listeners that could report that a connection was closed. Therefore, closed
/// connections are searched for when a limit is reached.
final class ConnectionLimit {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionLimit.class);
    private static final long LOG_AGAIN = Duration.ofMinutes(1).toNanos();
    private static final long TIDY_AGAIN = Duration.ofMillis(50).toNanos();
    /// Up to so many connections, searching for closed ones takes no time that matters.
    private static final int FEW = 1_000;

    private static final long SHARE = 32;

    /// The part of the connections that are kept for addresses without any; of few connections, up to [#KEPT_OF_FEW].
    private static final int KEPT_PART = 64;

    private static final int KEPT_OF_FEW = 8;

    private final int together;
    private final int perAddress;
    private final boolean shared;
    private final int kept;
    private final LongAdder refused = new LongAdder();

    /// Admitted connections by address, of which some may have been closed since. Guarded by this, like all
    /// fields below.
    private final Map<String, Set<StreamConnection>> accepted = new HashMap<>();

    private int count;
    private int tidyAt = FEW;
    private long tidied = System.nanoTime();
    private long logged = System.nanoTime() - LOG_AGAIN;

    /// @param shared whether the connections are divided fairly among addresses: not behind a proxy, whose
    ///     address is that of all clients
    ConnectionLimit(int together, int perAddress, boolean shared) {
        this.together = together;
        this.perAddress = perAddress;
        this.shared = shared;
        this.kept = Math.max(together / KEPT_PART, Math.min(KEPT_OF_FEW, together / 4));
    }

    /// Counts a new connection, or closes it.
    boolean admit(StreamConnection connection) {
        if (add(address(connection), connection)) {
            return true;
        }
        refused.increment();
        IoUtils.safeClose(connection);
        return false;
    }

    /// The address of the client; empty if it is unknown.
    static String address(StreamConnection connection) {
        return connection.getPeerAddress() instanceof InetSocketAddress peer ? ClientAddress.of(peer.getAddress()) : "";
    }

    private synchronized boolean add(String address, StreamConnection connection) {
        if (count >= tidyAt || (!mayAdd(address) && mayTidy())) {
            tidy();
        }
        if (!mayAdd(address)) {
            log(address);
            return false;
        }
        if (accepted.computeIfAbsent(address, _ -> new HashSet<>()).add(connection)) {
            count++;
        }
        return true;
    }

    private boolean mayAdd(String address) {
        int mine = accepted.getOrDefault(address, Set.of()).size();
        int free = together - count;
        boolean mayHaveMore = !shared || mine == 0 || mine < SHARE * (free - kept);
        return free > 0 && mine < perAddress && mayHaveMore;
    }

    /// Whether closed connections may be searched for: not each time that one is refused, if there are many.
    private boolean mayTidy() {
        return count <= FEW || System.nanoTime() - tidied > TIDY_AGAIN;
    }

    synchronized void tidy() {
        tidied = System.nanoTime();
        accepted.values().removeIf(connections -> {
            tidy(connections);
            return connections.isEmpty();
        });
        tidyAt = Math.max(FEW, 2 * count);
    }

    private void tidy(Set<StreamConnection> connections) {
        int before = connections.size();
        connections.removeIf(connection -> !connection.isOpen());
        count -= before - connections.size();
    }

    private void log(String address) {
        if (System.nanoTime() - logged > LOG_AGAIN) {
            logged = System.nanoTime();
            LOG.warn(
                    "connections of {} are refused: it has {} of {}, {} in all",
                    address,
                    accepted.getOrDefault(address, Set.of()).size(),
                    together,
                    count);
        }
    }

    synchronized int open() {
        tidy();
        return count;
    }

    synchronized int known() {
        return count;
    }

    long refused() {
        return refused.sum();
    }
}
