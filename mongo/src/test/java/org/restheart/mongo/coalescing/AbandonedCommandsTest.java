package org.restheart.mongo.coalescing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoSocketReadTimeoutException;
import com.mongodb.ServerAddress;
import com.mongodb.connection.ClusterConnectionMode;
import com.mongodb.connection.ClusterDescription;
import com.mongodb.connection.ClusterType;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.ProblemException;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.coalescing.BatchQueues.QueueChecks;

class AbandonedCommandsTest extends BatchQueueFixture {
    @Test
    void who_waits_too_long_is_refused_and_the_queue_goes_on() throws Exception {
        var gate = new Gate();
        var queue = this.<Integer, Integer>queue(limits(1, 10, 1000, 10, Duration.ofMillis(50)), batch -> {
            gate.pass();
            batch.forEach(t -> t.complete(t.request(), 1));
        });
        var underWay = queue.submit(0, 1);
        gate.sent.await();
        var late = queue.submit(1, 1);
        assertThatThrownBy(() -> late.get(60, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().status()).isEqualTo(503));
        gate.open.countDown();
        assertThat(underWay.get(60, TimeUnit.SECONDS).outcome()).isZero();
        assertThat(queue.submit(2, 1).get(60, TimeUnit.SECONDS).outcome()).isEqualTo(2);
    }

    /// Also one that has waited for a connection, beside which others may run.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_command_whose_server_is_gone_is_given_up_and_the_queue_goes_on_beside_it(boolean waits) throws Exception {
        var states = new AtomicReference<>(deployment(true));
        var stuck = new StuckQueue(
                states,
                () -> {
                    if (waits) {
                        CallerScope.waits();
                    }
                    ServerOfCommand.asked(SERVER);
                },
                System::nanoTime);
        var behind = stuck.queue.submit(1, 1);
        states.set(deployment(false));
        assertThatThrownBy(() -> stuck.pending.get(60, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(ProblemException.class, e -> {
                    assertThat(e.problem().status()).isEqualTo(503);
                    assertThat(e.problem().headers().first("Retry-After")).isPresent();
                });
        assertThat(behind.get(60, TimeUnit.SECONDS).outcome()).isEqualTo(1);
        stuck.gate.open.countDown();
        assertThat(stuck.queue.submit(2, 1).get(60, TimeUnit.SECONDS).outcome()).isEqualTo(2);
    }

    /// A heartbeat that timed out tells that the server is silent: on the queue's clock, no time has passed.
    @Test
    void a_command_whose_server_is_silent_is_given_up_as_soon_as_the_driver_knows() throws Exception {
        var states = new AtomicReference<>(deployment(true));
        var stuck = new StuckQueue(states, () -> ServerOfCommand.asked(SERVER), () -> 0);
        states.set(silent());
        assertThatThrownBy(() -> stuck.pending.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(ProblemException.class);
        stuck.gate.open.countDown();
    }

    /// Another server has failed; or its connection has broken, and the driver selects a server for the next attempt.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_command_that_waits_for_no_failed_server_is_not_given_up(boolean selects) throws Exception {
        var states = new AtomicReference<>(deployment(true));
        var looks = new CountDownLatch(10);
        var time = new AtomicLong();
        var stuck = new StuckQueue(
                states,
                () -> {
                    ServerOfCommand.asked(selects ? SERVER : new ServerAddress("localhost", 1));
                    if (selects) {
                        ServerOfCommand.left();
                    }
                },
                () -> {
                    looks.countDown();
                    return time.addAndGet(TimeUnit.SECONDS.toNanos(2));
                });
        states.set(silent());
        assertThat(looks.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(stuck.pending).isNotDone();
        stuck.gate.open.countDown();
        assertThat(stuck.pending.get(60, TimeUnit.SECONDS).outcome()).isZero();
    }

    /// One server of two has not answered a heartbeat in time.
    private static ClusterDescription silent() {
        var timeout = new MongoSocketReadTimeoutException("", SERVER, new SocketTimeoutException());
        return new ClusterDescription(
                ClusterConnectionMode.MULTIPLE,
                ClusterType.REPLICA_SET,
                List.of(server(SERVER, false, timeout), server(new ServerAddress("localhost", 1), true, null)));
    }

    /// A queue whose first command is stuck until the gate opens.
    private final class StuckQueue {
        final Gate gate = new Gate();
        final BatchQueue<Integer, Integer> queue;
        final PendingRequest<Integer, Integer> pending;

        StuckQueue(AtomicReference<ClusterDescription> states, Runnable before, LongSupplier clock)
                throws InterruptedException {
            queue = new BatchQueue<>(
                    batch -> {
                        if (batch.getFirst().request() == 0) {
                            before.run();
                            gate.pass();
                        }
                        batch.forEach(t -> t.complete(t.request(), 1));
                    },
                    limits(1, 10, 1000, 10),
                    threads,
                    new Deployment(states::get),
                    load,
                    meters,
                    new QueueChecks(threads),
                    clock);
            pending = queue.submit(0, 1);
            gate.sent.await();
        }
    }
}
