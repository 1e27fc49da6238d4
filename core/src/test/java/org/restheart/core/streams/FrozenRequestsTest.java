package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// No request of any kind waits for a primary that answers nothing any more, and each works again as soon as for a
/// plain driver.
class FrozenRequestsTest {
    /// The goal is ten seconds; the driver looks at its time limits twice a second, and tests share their machine.
    private static final Duration LONGEST = Duration.ofSeconds(Boolean.getBoolean("measure") ? 11 : 25);

    /// The goal is one second.
    private static final Duration AGAIN = Duration.ofSeconds(Boolean.getBoolean("measure") ? 3 : 10);

    /// MongoDB has carried out a write and held back its acknowledgement until it lost its role once more.
    private static final String STEPPED_DOWN = "changed its primary";

    /// A driver that looks after its servers as often as the gateway's.
    private static final String LIKE_THE_GATEWAY = "&heartbeatFrequencyMS=1000&connectTimeoutMS=5000";

    private static final List<Kind> KINDS = List.of(
            new Kind("POST", "/t", "{\"n\": 1}"),
            new Kind("POST", "/t", "[{\"n\": 1}, {\"n\": 2}]"),
            new Kind("PATCH", "/t/patched", "{\"n\": 2}"),
            new Kind("PATCH", "/t/piped", "[{\"$set\": {\"n\": 3}}]"),
            new Kind("PUT", "/t/put?wm=upsert", "{\"n\": 2}"),
            new Kind("DELETE", "/t/nobody", ""),
            new Kind("PATCH", "/t/*?filter={\"m\":1}", "{\"n\": 3}"),
            new Kind("DELETE", "/t/*?filter={\"m\":2}", ""),
            new Kind("GET", "/t/known", ""),
            new Kind("GET", "/t?pagesize=5&count", ""),
            new Kind("GET", "/t?filter={\"n\":1}", ""),
            new Kind("GET", "/t/_size", ""),
            new Kind("GET", "/t/_aggrs/all", ""),
            new Kind("GET", "/t/_indexes", ""),
            new Kind("GET", "/", ""));

    @TempDir
    Path folder;

    private volatile long frozen;
    private volatile boolean over;
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

    private record Kind(String method, String target, String body) {
        String encoded() {
            return target.replace("{", "%7B").replace("}", "%7D").replace("\"", "%22");
        }
    }

    /// Requests of one kind, one after the other.
    private final class Sender {
        private final StreamsGateway gateway;
        private final Kind kind;
        private final AtomicLong firstAfter = new AtomicLong();
        private volatile boolean started;

        Sender(StreamsGateway gateway, Kind kind) {
            this.gateway = gateway;
            this.kind = kind;
        }

        void run() throws Exception {
            while (!over) {
                long start = System.nanoTime();
                var response = gateway.send(kind.method, kind.encoded(), kind.body);
                long end = System.nanoTime();
                int status = response.statusCode();
                boolean fine = status / 100 == 2 || (status == 404 && kind.method.equals("DELETE"));
                boolean late =
                        end - start > LONGEST.toNanos() && !response.body().contains(STEPPED_DOWN);
                if (late || !(fine || status == 503)) {
                    wrong.add(kind + " " + status + " after " + (end - start) / 1_000_000 + " ms " + response.body());
                }
                if (status == 503
                        && response.headers().firstValue("Retry-After").isEmpty()) {
                    wrong.add(kind + " 503 without Retry-After");
                }
                started |= fine;
                // several seconds without a new primary: an answer before that may come of the frozen member's buffers
                if (fine && frozen != 0 && start > frozen + TimeUnit.MILLISECONDS.toNanos(200)) {
                    firstAfter.compareAndSet(0, end);
                }
            }
        }
    }

    private AtomicLong plainDriver(ExecutorService threads, MongoClient client, String database) {
        var first = new AtomicLong();
        threads.submit(() -> {
            while (first.get() == 0 && !over) {
                threads.submit(() -> {
                    client.getDatabase(database)
                            .getCollection("t", BsonDocument.class)
                            .insertOne(new BsonDocument("driver", new BsonInt32(1)));
                    first.compareAndSet(0, System.nanoTime());
                });
                Thread.sleep(100);
            }
            return null;
        });
        return first;
    }

    @Test
    void requests_of_every_kind_end_and_work_again() throws Exception {
        try (var mongo = OwnReplicaSet.start(3, folder);
                var client = MongoClients.create(mongo.connectionString());
                var driver = MongoClients.create(mongo.connectionString() + LIKE_THE_GATEWAY);
                var gateway = StreamsGateway.start(client, mongo.connectionString(), "frozen", "");
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            prepare(gateway);
            driver.getDatabase("frozen").getCollection("t").countDocuments();
            try (var listener = SseListener.open(gateway, "/t/_streams/all")) {
                var senders = new ArrayList<Sender>();
                var ends = new ArrayList<Future<?>>();
                for (int i = 0; i < 2 * KINDS.size(); i++) {
                    var sender = new Sender(gateway, KINDS.get(i / 2));
                    senders.add(sender);
                    ends.add(threads.submit(() -> {
                        sender.run();
                        return null;
                    }));
                }
                await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                    assertThat(wrong.stream().limit(10)).isEmpty();
                    assertThat(senders).allMatch(sender -> sender.started);
                });
                mongo.freezePrimary(client);
                frozen = System.nanoTime();
                var plain = plainDriver(threads, driver, "frozen");
                await().atMost(Duration.ofMinutes(1))
                        .until(() -> plain.get() != 0 && senders.stream().allMatch(s -> s.firstAfter.get() != 0));
                over = true;
                for (var end : ends) {
                    end.get(20, TimeUnit.SECONDS);
                }
                assertThat(wrong.stream().limit(10)).isEmpty();
                for (var sender : senders) {
                    assertThat(Duration.ofNanos(sender.firstAfter.get() - plain.get()))
                            .as("%s works again", sender.kind)
                            .isLessThan(AGAIN);
                }
                gateway.send("PUT", "/t/mark?wm=upsert", "{\"n\": 77}");
                var event = listener.next();
                while (!event.data().toString().contains("\"mark\"")) {
                    event = listener.next();
                }
            } catch (Throwable e) {
                over = true;
                mongo.close();
                throw e;
            }
            long start = System.nanoTime();
            gateway.close();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
            mongo.close(); // for the plain driver's threads
        }
    }

    @Test
    void the_gateway_stops_quietly_when_its_primary_has_just_frozen() throws Exception {
        var uncaught = new ConcurrentLinkedQueue<Throwable>();
        var handler = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((_, failure) -> uncaught.add(failure));
        try (var mongo = OwnReplicaSet.start(1, folder);
                var client = MongoClients.create(mongo.connectionString());
                var gateway = StreamsGateway.start(client, mongo.connectionString(), "frozen", "")) {
            prepare(gateway);
            try (var _ = SseListener.open(gateway, "/t/_streams/all")) {
                gateway.send("GET", "/t?page=3&pagesize=1", "");
                mongo.freezePrimary(client);
                long start = System.nanoTime();
                gateway.close();
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
            }
            mongo.close(); // the other client's close would wait for it
            await().pollDelay(Duration.ofSeconds(1))
                    .untilAsserted(() -> assertThat(uncaught).isEmpty());
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(handler);
        }
    }

    private static void prepare(StreamsGateway gateway) throws Exception {
        gateway.define("t", """
                {"streams": [{"uri": "all", "stages": []}],
                 "aggrs": [{"uri": "all", "stages": [{"$match": {"n": 1}}, {"$limit": 3}]}]}""");
        for (var id : List.of("patched", "piped", "put", "known")) {
            gateway.insert("t", "{_id: '" + id + "', n: 1, m: 1}");
        }
    }
}
