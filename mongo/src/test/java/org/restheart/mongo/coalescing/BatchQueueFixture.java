package org.restheart.mongo.coalescing;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.ServerAddress;
import com.mongodb.connection.ClusterConnectionMode;
import com.mongodb.connection.ClusterDescription;
import com.mongodb.connection.ServerConnectionState;
import com.mongodb.connection.ServerDescription;
import com.mongodb.connection.ServerType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.restheart.mongo.coalescing.BatchQueues.BatchMeters;
import org.restheart.mongo.coalescing.BatchQueues.QueueChecks;
import org.restheart.mongo.coalescing.Batching.BatchCommand;
import org.restheart.mongo.coalescing.Batching.BatchLoad;

/// Queues whose commands a test defines.
abstract class BatchQueueFixture {
    static final ServerAddress SERVER = new ServerAddress("localhost");
    static final Deployment UP = new Deployment(() -> deployment(true));

    final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    final BatchLoad load = new BatchLoad();
    final BatchMeters meters = new BatchMeters(new SimpleMeterRegistry(), "test");

    @AfterEach
    void stop() {
        threads.close();
        assertThat(load.requests()).as("requests under way").isZero();
    }

    static CoalescingConfig limits(int commands, int maxBatch, int maxBytes, int maxQueued) {
        return limits(commands, maxBatch, maxBytes, maxQueued, Duration.ofMinutes(1));
    }

    static CoalescingConfig limits(int commands, int maxBatch, int maxBytes, int maxQueued, Duration maxWait) {
        return new CoalescingConfig(
                true, true, true, true, commands, maxBatch, maxBytes, maxQueued, maxWait, true, false);
    }

    static ClusterDescription deployment(boolean up) {
        var server = server(SERVER, up, null);
        return new ClusterDescription(ClusterConnectionMode.SINGLE, server.getClusterType(), List.of(server));
    }

    static ServerDescription server(ServerAddress address, boolean up, @Nullable Throwable failure) {
        return ServerDescription.builder()
                .address(address)
                .ok(up)
                .state(up ? ServerConnectionState.CONNECTED : ServerConnectionState.CONNECTING)
                .type(up ? ServerType.STANDALONE : ServerType.UNKNOWN)
                .exception(failure)
                .build();
    }

    <R, O> BatchQueue<R, O> queue(CoalescingConfig limits, BatchCommand<R, O> command) {
        return queue(limits, command, System::nanoTime);
    }

    <R, O> BatchQueue<R, O> queue(CoalescingConfig limits, BatchCommand<R, O> command, LongSupplier clock) {
        return new BatchQueue<>(command, limits, threads, UP, load, meters, new QueueChecks(threads), clock);
    }

    /// Lets a test hold the first command until others have queued behind it.
    static final class Gate {
        final CountDownLatch sent = new CountDownLatch(1);
        final CountDownLatch open = new CountDownLatch(1);

        void pass() {
            sent.countDown();
            try {
                if (!open.await(60, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("gate stayed closed");
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
