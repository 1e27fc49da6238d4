package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.MongoClients;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.testkit.Patience;

/// What clients see of each other when they ask for more than MongoDB can do.
class OverloadTest {
    /// MongoDB takes so long for each query: 128 connections answer 640 of them a second.
    private static final int SLOW_MILLIS = 200;

    @TempDir
    Path folder;

    private volatile boolean over;

    /// Clients of one account, each with one request at a time, which ask again at once.
    private final class Clients {
        private final StreamsGateway gateway;
        private final String credentials;
        private final AtomicInteger served = new AtomicInteger();
        private final AtomicInteger refused = new AtomicInteger();
        private final AtomicInteger others = new AtomicInteger();
        private final AtomicLong longest = new AtomicLong();

        Clients(StreamsGateway gateway, String account) {
            this.gateway = gateway;
            this.credentials = StreamsGateway.basic(account);
        }

        void start(int clients, ExecutorService threads) {
            for (int i = 0; i < clients; i++) {
                threads.submit(this::run);
            }
        }

        private Void run() throws Exception {
            while (!over) {
                long start = System.nanoTime();
                int status = ask();
                if (status == 200) {
                    served.incrementAndGet();
                    longest.accumulateAndGet(System.nanoTime() - start, Math::max);
                } else {
                    Thread.sleep(200); // less than Retry-After
                }
            }
            return null;
        }

        /// No two queries are equal, so that each is a command.
        private int ask() throws Exception {
            int n = ThreadLocalRandom.current().nextInt();
            var response = gateway.send("GET", "/t?filter=%7B%22n%22:" + n + "%7D", "", "Authorization", credentials);
            if (response.statusCode() == 503
                    && response.headers().firstValue("Retry-After").isPresent()) {
                refused.incrementAndGet();
            } else if (response.statusCode() != 200) {
                others.incrementAndGet();
            }
            return response.statusCode();
        }
    }

    @Test
    void an_account_with_many_connections_does_not_starve_one_with_two() throws Exception {
        try (var mongo = OwnReplicaSet.start(1, folder);
                var client = MongoClients.create(mongo.connectionString());
                var gateway = StreamsGateway.startSecured(
                        client, mongo.connectionString(), "overload", StreamsGateway.SECURITY);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var account : new String[] {"greedy", "modest"}) {
                gateway.addUser(account, "user");
            }
            gateway.insert("acl", "{_id: 'p', roles: ['user'], predicate: \"path-prefix('/t')\", priority: 1}");
            gateway.insert("t", "{n: 1}");
            var greedy = new Clients(gateway, "greedy");
            var modest = new Clients(gateway, "modest");
            assertThat(greedy.ask()).isEqualTo(200);
            assertThat(modest.ask()).isEqualTo(200);
            OwnReplicaSet.delay(client, "overload.t", "find", SLOW_MILLIS);
            greedy.start(500, threads);
            await().until(() -> greedy.refused.get() > 200);
            int before = greedy.served.get();
            modest.start(2, threads);
            await().until(() -> modest.served.get() >= 20);
            over = true;
            assertThat(modest.refused).hasValue(0);
            assertThat(modest.others).hasValue(0);
            assertThat(greedy.others).hasValue(0);
            assertThat(greedy.served.get() - before).isPositive();
            // 200 ms of MongoDB's and as much waiting, where 500 clients and the gateway have a machine of their own
            assertThat(Duration.ofNanos(modest.longest.get())).isLessThan(Patience.relative(Duration.ofSeconds(10)));
            OwnReplicaSet.fail(client, "overload.t", "find", 0, 0);
        }
    }
}
