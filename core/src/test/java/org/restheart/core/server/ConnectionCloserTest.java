package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ConnectionCloserTest {
    @Test
    void goes_on_after_failures() throws Exception {
        var forgotten = new CountDownLatch(3);
        Runnable forget = () -> {
            forgotten.countDown();
            if (forgotten.getCount() == 2) {
                throw new IllegalStateException("is tried again");
            }
            throw new NoClassDefFoundError("likewise");
        };
        var closer = new ConnectionCloser(forget, Duration.ofMillis(10));
        try {
            closer.add(() -> {
                throw new NoClassDefFoundError("of one connection");
            });
            assertThat(forgotten.await(60, TimeUnit.SECONDS)).isTrue();
            var closed = new CountDownLatch(1);
            closer.add(closed::countDown);
            assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            closer.stop();
        }
    }
}
