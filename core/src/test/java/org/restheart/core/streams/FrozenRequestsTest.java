package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.event.ServerHeartbeatFailedEvent;
import com.mongodb.event.ServerMonitorListener;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.testkit.Patience;

/// No request of any kind waits for a primary that answers nothing any more, and each works again as soon as for a
/// plain driver.
class FrozenRequestsTest {
    /// Ten seconds are promised; the driver looks at its time limits twice a second. The rest is for tests that share
    /// their machine, and so is [#lateness()].
    private static final Duration LONGEST = Duration.ofSeconds(12);

    /// After the plain driver: one second is promised, and a request of each kind is sent once a second.
    private static final Duration AGAIN = Duration.ofSeconds(3);

    private static final Duration PAUSE = Duration.ofSeconds(1);

    /// How often a request waits for a processor: its threads, those of the driver, and those of MongoDB's members.
    private static final int TURNS = 10;

    /// Beyond this the requests are late, not the machine.
    private static final Duration MAX_WAITS = Duration.ofSeconds(5);

    /// When a heartbeat is late by definition: one a second, and five seconds for its answer.
    private static final Duration NOTICED = Duration.ofSeconds(7);

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
            new Kind("GET", "/t/_aggrs/out", ""),
            new Kind("PATCH", "/t", "{\"p\": 1}"),
            new Kind("PUT", "/t/_indexes/n", "{\"keys\": {\"n\": 1}}"),
            new Kind("PUT", "/f.files/$time", "some bytes"),
            new Kind("GET", "/", ""));

    @TempDir
    Path folder;

    private volatile long frozen;
    private final AtomicLong noticed = new AtomicLong();

    /// The longest insert of the plain driver.
    private final AtomicLong plainLongest = new AtomicLong();

    /// How much longer than [#PAUSE] a pause took at most.
    private final AtomicLong overslept = new AtomicLong();

    private volatile boolean over;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

    private record Kind(String method, String target, String body) {
        String encoded() {
            return target.replace("$time", Long.toString(System.nanoTime()))
                    .replace("{", "%7B")
                    .replace("}", "%7D")
                    .replace("\"", "%22");
        }

        /// An upload is several writes, each of which is confirmed before the next, and has a second for that in any
        /// case; a new index is there when all members have it.
        private int confirmations() {
            return target.contains(".files") || target.contains("_indexes/") ? 4 : 1;
        }

        Duration again() {
            return AGAIN.multipliedBy(confirmations());
        }

        Duration longest() {
            return LONGEST.plusSeconds(confirmations() - 1);
        }

        String type() {
            return target.contains(".files") ? "text/plain" : "application/json";
        }
    }

    /// Requests of one kind, each independent of those before it.
    private final class Sender {
        private final StreamsGateway gateway;
        private final Kind kind;
        private final AtomicLong firstAfter = new AtomicLong();
        private final AtomicLong longest = new AtomicLong();
        private volatile boolean started;

        Sender(StreamsGateway gateway, Kind kind) {
            this.gateway = gateway;
            this.kind = kind;
        }

        void run(ExecutorService threads) throws InterruptedException {
            while (!over) {
                threads.submit(this::send);
                long begun = System.nanoTime();
                Thread.sleep(PAUSE);
                overslept.accumulateAndGet(System.nanoTime() - begun - PAUSE.toNanos(), Math::max);
            }
        }

        private void send() {
            inFlight.incrementAndGet();
            long start = System.nanoTime();
            try {
                var response = gateway.send(kind.method, kind.encoded(), kind.body, "Content-Type", kind.type());
                check(start, System.nanoTime(), response);
            } catch (Exception e) {
                wrong.add(kind + " " + e);
            } finally {
                inFlight.decrementAndGet();
            }
        }

        private void check(long start, long end, HttpResponse<String> response) {
            int status = response.statusCode();
            boolean fine = status / 100 == 2 || (status == 404 && kind.method.equals("DELETE"));
            if (!(fine || status == 503)) {
                wrong.add(kind + " " + status + " after " + (end - start) / 1_000_000 + " ms " + response.body());
            }
            longest.accumulateAndGet(end - start, Math::max);
            if (status == 503 && response.headers().firstValue("Retry-After").isEmpty()) {
                wrong.add(kind + " 503 without Retry-After");
            }
            started |= fine;
            // several seconds without a new primary: an answer before that may come of the frozen member's buffers
            if (fine && frozen != 0 && start > frozen + TimeUnit.MILLISECONDS.toNanos(200)) {
                firstAfter.accumulateAndGet(end, (first, now) -> first == 0 ? now : Math.min(first, now));
            }
        }
    }

    /// By how much the plain driver noticed later that the primary answers nothing, or inserted later, than on a
    /// machine of its own, and how long the threads of a request may have waited for a processor.
    private Duration lateness() {
        var noticedLate = Duration.ofNanos(noticed.get() - frozen).minus(NOTICED);
        var insertedLate = Duration.ofNanos(plainLongest.get()).minus(LONGEST);
        return Collections.max(List.of(Duration.ZERO, noticedLate, insertedLate))
                .plusNanos(Math.min(TURNS * overslept.get(), MAX_WAITS.toNanos()));
    }

    private MongoClient plainClient(String connectionString) {
        return MongoClients.create(MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(connectionString + LIKE_THE_GATEWAY))
                .applyToServerSettings(server -> server.addServerMonitorListener(new ServerMonitorListener() {
                    @Override
                    public void serverHeartbeatFailed(ServerHeartbeatFailedEvent event) {
                        if (frozen != 0) {
                            noticed.compareAndSet(0, System.nanoTime());
                        }
                    }
                }))
                .build());
    }

    private AtomicLong plainDriver(ExecutorService threads, MongoClient client, String database) {
        var first = new AtomicLong();
        threads.submit(() -> {
            while (first.get() == 0 && !over) {
                threads.submit(() -> {
                    long begun = System.nanoTime();
                    client.getDatabase(database)
                            .getCollection("t", BsonDocument.class)
                            .insertOne(new BsonDocument("driver", new BsonInt32(1)));
                    plainLongest.accumulateAndGet(System.nanoTime() - begun, Math::max);
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
                var driver = plainClient(mongo.connectionString());
                var gateway = StreamsGateway.start(client, mongo.connectionString(), "frozen", "");
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            prepare(gateway);
            driver.getDatabase("frozen").getCollection("t").countDocuments();
            try (var listener = SseListener.open(gateway, "/t/_streams/all")) {
                var senders = new ArrayList<Sender>();
                for (var kind : KINDS) {
                    var sender = new Sender(gateway, kind);
                    senders.add(sender);
                    threads.submit(() -> {
                        sender.run(threads);
                        return null;
                    });
                }
                await().untilAsserted(() -> {
                    assertThat(wrong.stream().limit(10)).isEmpty();
                    assertThat(senders).allMatch(sender -> sender.started);
                });
                mongo.freezePrimary(client);
                frozen = System.nanoTime();
                var plain = plainDriver(threads, driver, "frozen");
                await().until(() -> plain.get() != 0
                        && noticed.get() != 0
                        && senders.stream().allMatch(s -> s.firstAfter.get() != 0));
                over = true;
                Patience.within(LONGEST.plus(lateness()).multipliedBy(2)).until(() -> inFlight.get() == 0);
                assertThat(wrong.stream().limit(10)).isEmpty();
                assertThat(senders).allSatisfy(sender -> {
                    assertThat(Duration.ofNanos(sender.longest.get()))
                            .as("the longest %s", sender.kind)
                            .isLessThan(Patience.relative(sender.kind.longest().plus(lateness())));
                    assertThat(Duration.ofNanos(sender.firstAfter.get() - plain.get()))
                            .as("%s works again", sender.kind)
                            .isLessThan(Patience.relative(sender.kind.again().plus(lateness())));
                });
                gateway.send("PUT", "/t/mark?wm=upsert", "{\"n\": 77}");
                var event = listener.next();
                while (!event.document().toString().contains("\"mark\"")) {
                    event = listener.next();
                }
            } catch (Throwable e) {
                over = true;
                mongo.close();
                throw e;
            }
            long start = System.nanoTime();
            gateway.close();
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isLessThan(Patience.relative(Duration.ofSeconds(5)));
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
                assertThat(Duration.ofNanos(System.nanoTime() - start))
                        .isLessThan(Patience.relative(Duration.ofSeconds(10)));
            }
            mongo.close(); // the other client's close would wait for it
            await().during(Duration.ofSeconds(1)).until(uncaught::isEmpty);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(handler);
        }
    }

    /// The I/O thread that waits for MongoDB itself, for the only client that it has, is there again soon.
    @Test
    void others_do_not_wait_for_the_io_thread_of_a_client_alone() throws Exception {
        try (var mongo = OwnReplicaSet.start(1, folder);
                var client = MongoClients.create(mongo.connectionString());
                var gateway = StreamsGateway.startSecured(
                        client,
                        mongo.connectionString(),
                        "frozen",
                        "core: {io-threads: 1}\nmongoAclAuthorizer: {acl-db: $db, acl-collection: acl}");
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            gateway.insert("acl", "{roles: ['$unauthenticated'], predicate: \"path-prefix('/')\", priority: 1}");
            gateway.insert("t", "{_id: 'known'}");
            var alone = threads.submit(() -> {
                var response = gateway.send("GET", "/t/known", "");
                while (response.statusCode() == 200) {
                    response = gateway.send("GET", "/t/known", "");
                }
                return response.statusCode();
            });
            await().until(FrozenRequestsTest::isIoThreadInACommand);
            mongo.freezePrimary(client);
            for (int i = 0; i < 5; i++) {
                long start = System.nanoTime();
                assertThat(gateway.send("GET", "/ping", "").statusCode()).isEqualTo(200);
                assertThat(Duration.ofNanos(System.nanoTime() - start))
                        .isLessThan(Patience.relative(Duration.ofSeconds(3)));
            }
            assertThat(alone.get(1, TimeUnit.MINUTES)).isEqualTo(503);
            mongo.close(); // the other client's close would wait for it
        }
    }

    private static boolean isIoThreadInACommand() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> thread.getKey().getName().startsWith("http I/O"))
                .flatMap(thread -> Stream.of(thread.getValue()))
                .anyMatch(frame -> frame.getMethodName().equals("runInline"));
    }

    private static void prepare(StreamsGateway gateway) throws Exception {
        gateway.define("t", """
            {"streams": [{"uri": "all", "stages": []}],
             "aggrs": [{"uri": "all", "stages": [{"$match": {"n": 1}}, {"$limit": 3}]},
                       {"uri": "out", "stages": [{"$limit": 3}, {"$out": "copy"}]}]}\
            """);
        gateway.define("f.files", "{}");
        for (var id : List.of("patched", "piped", "put", "known")) {
            gateway.insert("t", "{_id: '" + id + "', n: 1, m: 1}");
        }
    }
}
