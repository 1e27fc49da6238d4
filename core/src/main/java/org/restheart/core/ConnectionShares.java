package org.restheart.core;

import com.mongodb.MongoInterruptedException;
import com.mongodb.connection.ConnectionId;
import com.mongodb.connection.ServerId;
import com.mongodb.event.ConnectionCheckOutFailedEvent;
import com.mongodb.event.ConnectionCheckOutStartedEvent;
import com.mongodb.event.ConnectionCheckedInEvent;
import com.mongodb.event.ConnectionCheckedOutEvent;
import com.mongodb.event.ConnectionClosedEvent;
import com.mongodb.event.ConnectionCreatedEvent;
import com.mongodb.event.ConnectionPoolClearedEvent;
import com.mongodb.event.ConnectionPoolClosedEvent;
import com.mongodb.event.ConnectionPoolCreatedEvent;
import com.mongodb.event.ConnectionPoolListener;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.restheart.http.trace.TraceScope;
import org.restheart.mongo.coalescing.ServerOfCommand;
import org.restheart.mongo.error.ShareTakenException;
import org.restheart.mongo.find.LargeReplies;

/// Divides the connections of each pool among callers: requests of one caller that wait in MongoDB, for example
/// for a locked document, never hold all of them, and some are reserved for the server. Look-ups for callers,
/// such as those of accounts and of collections' properties, share the reserved ones in the same way: a flood
/// of names that do not exist takes no connections of other callers.
///
/// This is the pool's only listener, and passes events on to others: the driver lets a listener refuse a
/// connection by an exception only if there is one. Thread-safe.
final class ConnectionShares implements ConnectionPoolListener {
    /// The part of a pool that is kept for the server itself, and for look-ups.
    private static final int RESERVED_PART = 8;

    /// A smaller heap has fewer commands at a time than connections. Not what one reply may take: the memory
    /// for large ones is owned before their commands are sent, and most commands wait for MongoDB, not for
    /// their replies.
    private static final long HEAP_OF_COMMAND = 4L << 20;

    private static final int MIN_COMMANDS = 16;

    private final List<ConnectionPoolListener> others;
    private final ConcurrentMap<ServerId, Pool> pools = new ConcurrentHashMap<>();

    /// Whose share the connection counts in that the current thread asks for.
    private static final ThreadLocal<String> PAYER = new ThreadLocal<>();

    /// Who holds a connection, by its number within this process.
    private final ConcurrentMap<Long, String> holders = new ConcurrentHashMap<>();

    /// @param lookUps places for look-ups for callers, of those that are reserved
    /// @param longest to wait for a share, in nanoseconds
    private record Pool(FairShares requests, FairShares lookUps, long longest) {
        static Pool of(int size, long longest) {
            int reserved = size / RESERVED_PART;
            return size == 0
                    ? new Pool(new FairShares(Integer.MAX_VALUE), new FairShares(Integer.MAX_VALUE), longest)
                    : new Pool(
                            new FairShares((int) Math.min(
                                    size - reserved,
                                    Math.max(MIN_COMMANDS, Runtime.getRuntime().maxMemory() / HEAP_OF_COMMAND))),
                            new FairShares(Math.max(1, reserved - Math.max(1, reserved / 4))),
                            longest);
        }

        /// A place for a command of these callers, which counts for one of them. A command takes one of the places
        /// reserved for look-ups only if it does nothing else.
        Optional<String> take(List<String> sharers) throws InterruptedException {
            var callers = sharers.stream()
                    .filter(each -> !CallerScope.isLookUps(each))
                    .toList();
            return callers.isEmpty() ? lookUps.take(sharers, longest) : requests.take(callers, longest);
        }

        FairShares shares(String caller) {
            return CallerScope.isLookUps(caller) ? lookUps : requests;
        }
    }

    ConnectionShares(List<ConnectionPoolListener> others) {
        this.others = List.copyOf(others);
    }

    @Override
    public void connectionPoolCreated(ConnectionPoolCreatedEvent event) {
        int size = event.getSettings().getMaxSize();
        pools.put(event.getServerId(), Pool.of(size, event.getSettings().getMaxWaitTime(TimeUnit.NANOSECONDS)));
        others.forEach(other -> other.connectionPoolCreated(event));
    }

    @Override
    public void connectionPoolClosed(ConnectionPoolClosedEvent event) {
        pools.remove(event.getServerId());
        others.forEach(other -> other.connectionPoolClosed(event));
    }

    /// @throws ShareTakenException if the caller's requests hold its share for too long
    @Override
    public void connectionCheckOutStarted(ConnectionCheckOutStartedEvent event) {
        LargeReplies.settled(); // those that have connections may wait for its memory
        var pool = pools.get(event.getServerId());
        if (pool != null) {
            try {
                PAYER.set(pool.take(CallerScope.sharers())
                        .orElseThrow(() -> new ShareTakenException(
                                "other requests of the same caller hold its share of the connections to MongoDB")));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new MongoInterruptedException("interrupted while waiting for a connection", e);
            }
        }
        ServerOfCommand.asked(event.getServerId().getAddress());
        others.forEach(other -> other.connectionCheckOutStarted(event));
    }

    /// On the thread that has asked for it.
    @Override
    public void connectionCheckOutFailed(ConnectionCheckOutFailedEvent event) {
        ServerOfCommand.left();
        var caller = PAYER.get();
        if (caller != null) {
            PAYER.remove();
            release(event.getServerId(), caller);
        }
        others.forEach(other -> other.connectionCheckOutFailed(event));
    }

    /// On the thread that has asked for it.
    @Override
    public void connectionCheckedOut(ConnectionCheckedOutEvent event) {
        var caller = PAYER.get();
        if (caller != null) {
            PAYER.remove();
            holders.put(event.getConnectionId().getLocalValue(), caller);
        }
        var span = TraceScope.current();
        if (span != null) {
            span.count("queue", event.getElapsedTime(TimeUnit.NANOSECONDS));
        }
        others.forEach(other -> other.connectionCheckedOut(event));
    }

    @Override
    public void connectionCheckedIn(ConnectionCheckedInEvent event) {
        ServerOfCommand.left();
        returned(event.getConnectionId());
        others.forEach(other -> other.connectionCheckedIn(event));
    }

    private void returned(ConnectionId connection) {
        var holder = holders.remove(connection.getLocalValue());
        if (holder != null) {
            release(connection.getServerId(), holder);
        }
    }

    private void release(ServerId server, String caller) {
        var pool = pools.get(server);
        if (pool != null) {
            pool.shares(caller).release(caller);
        }
    }

    @Override
    public void connectionCreated(ConnectionCreatedEvent event) {
        others.forEach(other -> other.connectionCreated(event));
    }

    @Override
    public void connectionClosed(ConnectionClosedEvent event) {
        others.forEach(other -> other.connectionClosed(event));
    }

    @Override
    public void connectionPoolCleared(ConnectionPoolClearedEvent event) {
        others.forEach(other -> other.connectionPoolCleared(event));
    }
}
