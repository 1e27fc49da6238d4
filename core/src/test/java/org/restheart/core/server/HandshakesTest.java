package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.restheart.core.server.ListenerSockets.Handshakes;

/// Whose handshakes are computed, and when.
class HandshakesTest {
    private final Handshakes handshakes = new Handshakes();
    private final Semaphore goOn = new Semaphore(0);
    private final AtomicInteger computed = new AtomicInteger();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger waited = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();

    @AfterEach
    void end() {
        goOn.release(1_000);
        handshakes.close();
    }

    private Executor client(String address) {
        return handshakes.client(address, closed::incrementAndGet);
    }

    private static void ask(Executor client, Runnable task) {
        client.execute(task);
    }

    /// With tasks that wait.
    ///
    /// @return how many were accepted
    private int fillShare(String address) {
        int asked = 0;
        for (; asked < Handshakes.THREADS; asked++) {
            ask(client(address), this::await);
        }
        Awaitility.await().until(() -> begun.get() == Handshakes.THREADS); // later, they would make room
        for (; closed.get() == 0; asked++) {
            ask(client(address), this::await);
        }
        return asked - 1;
    }

    private void await() {
        begun.incrementAndGet();
        try {
            goOn.acquire();
            waited.incrementAndGet();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void handshakes_beyond_the_share_of_an_address_are_refused() {
        assertThat(fillShare("192.0.2.1")).isBetween(450, 600);
        ask(client("192.0.2.1"), computed::incrementAndGet);
        Awaitility.await().until(() -> closed.get() == 2); // on another thread
        ask(client("192.0.2.2"), computed::incrementAndGet);
        assertThat(closed).hasValue(2);
        goOn.release(1_000);
        Awaitility.await().until(() -> computed.get() == 1);
    }

    /// Those of TLS 1.2 have two tasks.
    @Test
    void handshakes_that_have_begun_go_on_when_the_share_of_their_address_is_full() {
        var known = client("192.0.2.1");
        ask(known, computed::incrementAndGet);
        Awaitility.await().until(() -> computed.get() == 1);
        fillShare("192.0.2.1");
        ask(known, computed::incrementAndGet);
        assertThat(closed).hasValue(1);
        goOn.release(1_000);
        Awaitility.await().until(() -> computed.get() == 2);
        ask(client("192.0.2.1"), computed::incrementAndGet); // the places are free again
        Awaitility.await().until(() -> computed.get() == 3);
    }

    @Test
    void addresses_take_turns() {
        fillShare("192.0.2.1");
        ask(client("192.0.2.2"), computed::incrementAndGet);
        Awaitility.await().until(() -> {
            goOn.release();
            return computed.get() == 1;
        });
        assertThat(waited).hasValueLessThan(100);
    }
}
