package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.MongoClients;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What clients see of a primary that answers nothing any more though its sockets stay open.
class FrozenPrimaryTest {
    private static final int CLIENTS = 8;

    /// Of each client, between two requests.
    private static final Duration PAUSE = Duration.ofMillis(100);

    @TempDir
    Path folder;

    private final AtomicBoolean frozen = new AtomicBoolean();
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger before = new AtomicInteger();
    private final AtomicInteger after = new AtomicInteger();

    @Test
    void every_request_is_answered_and_writes_go_on_while_it_is_frozen() throws Exception {
        try (var mongo = OwnReplicaSet.start(3, folder);
                var client = MongoClients.create(mongo.connectionString());
                var gateway = StreamsGateway.start(client, mongo.connectionString(), "frozen", "");
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            gateway.define("t", "{}");
            gateway.insert("t", "{_id: 'known'}");
            var clients = new ArrayList<Future<?>>();
            for (int i = 0; i < CLIENTS; i++) {
                int n = i;
                clients.add(threads.submit(() -> {
                    load(gateway, n % 2 == 0);
                    return null;
                }));
            }
            await().until(() -> before.get() > 40);
            mongo.freezePrimary(client);
            frozen.set(true);
            await().atMost(Duration.ofMinutes(2)).until(() -> after.get() > 40);
            over.set(true);
            for (var each : clients) { // those of the moment of the freezing, too
                each.get(1, TimeUnit.MINUTES);
            }
            mongo.close(); // what waits for the frozen member would hold up the stop
        }
    }

    private void load(StreamsGateway gateway, boolean writes) throws Exception {
        for (; !over.get(); LockSupport.parkNanos(PAUSE.toNanos())) {
            boolean late = frozen.get();
            var response = writes ? gateway.send("POST", "/t", "{\"n\": 1}") : gateway.send("GET", "/t/known", "");
            if (response.statusCode() == 503) {
                assertThat(response.headers().firstValue("Retry-After")).isPresent();
            } else {
                assertThat(response.statusCode()).isEqualTo(writes ? 201 : 200);
                if (writes) {
                    (late ? after : before).incrementAndGet();
                }
            }
        }
    }
}
