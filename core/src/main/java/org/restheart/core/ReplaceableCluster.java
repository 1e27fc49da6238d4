package org.restheart.core;

import com.mongodb.connection.ClusterDescription;
import com.mongodb.connection.ClusterId;
import com.mongodb.connection.ClusterSettings;
import com.mongodb.event.ServerDescriptionChangedEvent;
import com.mongodb.internal.TimeoutContext;
import com.mongodb.internal.async.SingleResultCallback;
import com.mongodb.internal.connection.ClientMetadata;
import com.mongodb.internal.connection.Cluster;
import com.mongodb.internal.connection.ClusterClock;
import com.mongodb.internal.connection.OperationContext;
import com.mongodb.internal.connection.ServerTuple;
import com.mongodb.internal.time.Timeout;
import com.mongodb.selector.ServerSelector;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// The connections of a client. The driver reads a password once, so they are replaced as a whole. What has begun
/// goes on with the former ones, such as cursors; change streams resume when these are closed. Thread-safe.
final class ReplaceableCluster implements Cluster {
    /// How long what has begun with former credentials may go on with them.
    private static final Duration RETIREMENT = Duration.ofMinutes(10);

    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Cluster current;

    ReplaceableCluster(Cluster first) {
        this.current = first;
    }

    synchronized void replace(Cluster next) {
        if (closed.getCount() == 0) {
            next.close();
            return;
        }
        var former = current;
        current = next;
        Thread.ofVirtual().name("close-mongo").start(() -> {
            try {
                var _ = closed.await(RETIREMENT.toSeconds(), TimeUnit.SECONDS);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
            former.close();
        });
    }

    @Override
    public synchronized void close() {
        closed.countDown();
        current.close();
    }

    @Override
    public ServerTuple selectServer(ServerSelector selector, OperationContext context) {
        return current.selectServer(selector, context);
    }

    @Override
    public void selectServerAsync(
            ServerSelector selector, OperationContext context, SingleResultCallback<ServerTuple> callback) {
        current.selectServerAsync(selector, context, callback);
    }

    @Override
    public ClusterSettings getSettings() {
        return current.getSettings();
    }

    @Override
    public ClusterId getClusterId() {
        return current.getClusterId();
    }

    @Override
    public ServersSnapshot getServersSnapshot(Timeout timeout, TimeoutContext context) {
        return current.getServersSnapshot(timeout, context);
    }

    @Override
    public ClusterDescription getCurrentDescription() {
        return current.getCurrentDescription();
    }

    @Override
    public ClusterClock getClock() {
        return current.getClock();
    }

    @Override
    public ClientMetadata getClientMetadata() {
        return current.getClientMetadata();
    }

    @Override
    public boolean isClosed() {
        return current.isClosed();
    }

    @Override
    public void withLock(Runnable action) {
        current.withLock(action);
    }

    @Override
    public void onChange(ServerDescriptionChangedEvent event) {
        current.onChange(event);
    }
}
