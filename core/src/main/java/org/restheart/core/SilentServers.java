package org.restheart.core;

import com.mongodb.ServerAddress;
import com.mongodb.connection.ConnectionId;
import com.mongodb.event.ConnectionCheckedInEvent;
import com.mongodb.event.ConnectionCheckedOutEvent;
import com.mongodb.event.ConnectionClosedEvent;
import com.mongodb.event.ConnectionCreatedEvent;
import com.mongodb.event.ConnectionPoolClearedEvent;
import com.mongodb.event.ConnectionPoolListener;
import com.mongodb.event.ServerHeartbeatFailedEvent;
import com.mongodb.event.ServerHeartbeatSucceededEvent;
import com.mongodb.event.ServerMonitorListener;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;
import org.restheart.mongo.error.MongoErrors;

/// Ends the operations on servers that answer nothing though their connections stay open, as after
/// `SIGSTOP` or behind a network that drops packets. The driver marks such a server as unknown when a
/// heartbeat times out, and closes its idle connections, but leaves those in use, whose reads have no
/// time limit: a query may take long. Here these are closed, too, by interrupting the virtual threads
/// that read from them, with a `MongoInterruptedException` each. Platform threads cannot be interrupted
/// in this way; they are left. Thread-safe.
final class SilentServers implements ConnectionPoolListener, ServerMonitorListener {
    /// By the number of the connection within this process.
    private final ConcurrentMap<Long, Use> inUse = new ConcurrentHashMap<>();

    private final Set<ServerAddress> silent = ConcurrentHashMap.newKeySet();

    /// A connection that a thread opens or uses.
    private static final class Use {
        private final ServerAddress server;
        private final Thread thread = Thread.currentThread();

        /// Guarded by this, like all below.
        private boolean over;

        private boolean interrupted;

        Use(ServerAddress server) {
            this.server = server;
        }

        synchronized void interrupt() {
            if (!over && thread.isVirtual()) {
                interrupted = true;
                thread.interrupt();
            }
        }

        /// The interrupt concerns this use only, not what the thread does afterwards.
        synchronized void end() {
            over = true;
            if (interrupted && thread.threadId() == Thread.currentThread().threadId()) {
                var _ = Thread.interrupted();
            }
        }
    }

    private void begin(ConnectionId connection) {
        var use = new Use(connection.getServerId().getAddress());
        var opening = inUse.put(connection.getLocalValue(), use);
        if (opening != null) { // by a thread that may have given it to this one
            opening.end();
        }
        if (silent.contains(use.server)) {
            use.interrupt();
        }
    }

    private void end(ConnectionId connection) {
        var use = inUse.remove(connection.getLocalValue());
        if (use != null) {
            use.end();
        }
    }

    private void interrupt(Predicate<ServerAddress> servers) {
        inUse.values().forEach(use -> {
            if (servers.test(use.server)) {
                use.interrupt();
            }
        });
    }

    /// Ends all operations of this moment.
    void endAll() {
        interrupt(_ -> true);
    }

    /// The thread that asks for a connection opens it.
    @Override
    public void connectionCreated(ConnectionCreatedEvent event) {
        begin(event.getConnectionId());
    }

    @Override
    public void connectionCheckedOut(ConnectionCheckedOutEvent event) {
        begin(event.getConnectionId());
    }

    @Override
    public void connectionCheckedIn(ConnectionCheckedInEvent event) {
        end(event.getConnectionId());
    }

    @Override
    public void connectionClosed(ConnectionClosedEvent event) {
        end(event.getConnectionId());
    }

    @Override
    public void serverHeartbeatSucceeded(ServerHeartbeatSucceededEvent event) {
        silent.remove(event.getConnectionId().getServerId().getAddress());
    }

    @Override
    public void serverHeartbeatFailed(ServerHeartbeatFailedEvent event) {
        if (MongoErrors.isTimeout(event.getThrowable())) {
            var server = event.getConnectionId().getServerId().getAddress();
            silent.add(server);
            interrupt(server::equals);
        }
    }

    /// From now on the driver hands out no connections to this server.
    @Override
    public void connectionPoolCleared(ConnectionPoolClearedEvent event) {
        var server = event.getServerId().getAddress();
        if (silent.contains(server)) {
            interrupt(server::equals);
        }
    }
}
