package org.restheart.mongo.concern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.MongoSocketReadException;
import com.mongodb.ServerAddress;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

final class ConnectionRetryTest {
    private static final ServerAddress SERVER = new ServerAddress();

    private final AtomicInteger attempts = new AtomicInteger();

    @Test
    void a_change_is_repeated_only_if_it_was_not_sent() {
        var notSent = new MongoSocketOpenException("refused", SERVER, new IOException());
        assertThat(ConnectionRetry.repeatedUnsent(failing(notSent, 3))).isEqualTo(4);
        attempts.set(0);
        var perhapsSent = new MongoSocketReadException("end of stream", SERVER);
        assertThatThrownBy(() -> ConnectionRetry.repeatedUnsent(failing(perhapsSent, 3)))
                .isSameAs(perhapsSent);
        assertThat(attempts).hasValue(1);
    }

    @Test
    void a_query_is_repeated_while_its_connections_are_lost_soon() {
        assertThat(ConnectionRetry.repeatedSoon(failing(new MongoSocketReadException("end of stream", SERVER), 3)))
                .isEqualTo(4);
    }

    /// Fails so many times, then returns the number of attempts.
    private Supplier<Integer> failing(MongoException failure, int times) {
        return () -> {
            if (attempts.incrementAndGet() <= times) {
                throw failure;
            }
            return attempts.get();
        };
    }
}
