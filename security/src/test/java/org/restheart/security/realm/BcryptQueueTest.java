package org.restheart.security.realm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BcryptQueueTest {
    private final CountDownLatch busy = new CountDownLatch(1);
    private final CountDownLatch free = new CountDownLatch(1);
    private final List<String> ran = new CopyOnWriteArrayList<>();

    /// A queue whose only thread is at work until [#free].
    private BcryptQueue queue() throws InterruptedException {
        var queue = new BcryptQueue(1);
        queue.add("first", new BcryptQueue.Turn<>(Duration.ofMinutes(1), () -> {
            busy.countDown();
            try {
                return free.await(1, TimeUnit.MINUTES);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }));
        assertThat(busy.await(1, TimeUnit.MINUTES)).isTrue();
        return queue;
    }

    private BcryptQueue.Turn<Boolean> add(BcryptQueue queue, String client) {
        var turn = new BcryptQueue.Turn<>(Duration.ofMinutes(1), () -> ran.add(client));
        queue.add(client, turn);
        return turn;
    }

    private void runAll(Iterable<BcryptQueue.Turn<Boolean>> turns) throws Exception {
        free.countDown();
        for (var turn : turns) {
            if (!turn.isCancelled()) {
                turn.get(1, TimeUnit.MINUTES);
            }
        }
    }

    @Test
    void clients_take_turns() throws Exception {
        try (var queue = queue()) {
            var turns = new ArrayList<BcryptQueue.Turn<Boolean>>();
            for (int i = 0; i < 30; i++) {
                turns.add(add(queue, "flood"));
            }
            turns.add(add(queue, "other"));
            runAll(turns);
            assertThat(ran.indexOf("other")).isEqualTo(1);
        }
    }

    @Test
    void a_client_with_too_much_work_loses_its_latest() throws Exception {
        try (var queue = queue()) {
            var flood = new ArrayList<BcryptQueue.Turn<Boolean>>();
            for (int i = 0; i < 200; i++) {
                flood.add(add(queue, "flood"));
            }
            assertThat(flood.stream().filter(BcryptQueue.Turn::isCancelled)).hasSize(200 - 64);
            var other = add(queue, "other");
            assertThat(other.isCancelled()).isFalse();
            flood.add(other);
            runAll(flood);
            assertThat(ran).contains("other");
        }
    }

    @Test
    void a_flood_from_many_addresses_does_not_delay_known_clients() throws Exception {
        try (var queue = queue()) {
            queue.recordValidPassword("known");
            var turns = new ArrayList<BcryptQueue.Turn<Boolean>>();
            for (int i = 0; i < 200; i++) {
                turns.add(add(queue, "flood " + i));
            }
            turns.add(add(queue, "known"));
            turns.add(add(queue, "known"));
            assertThat(turns.getLast().isCancelled()).isFalse();
            runAll(turns);
            assertThat(ran.lastIndexOf("known")).isLessThan(4);
            assertThat(ran).hasSize(64);
        }
    }
}
