package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.core.chaos.GatewayChild;
import org.restheart.core.chaos.Members;
import org.restheart.embedded.FreePort;
import org.restheart.testkit.wire.WireResponse;

/// Two gateways behind HAProxy with `etc/haproxy.cfg`, which are restarted one after the other, over a replica set that
/// elects another primary: clients see nothing of it, unless a driver of their own would have waited for the primary
/// for about as long as a request may.
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class BalancerTest {
    private static final int CLIENTS_OF_EACH_KIND = 4;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /// Of each client, between two requests.
    private static final Duration PAUSE = Duration.ofMillis(100);

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /// A request waits for a primary for 10 s.
    private static final Duration LONG = Duration.ofSeconds(8);

    /// That of the built-in configuration.
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final HttpClient http = HttpClient.newHttpClient();
    private final AtomicBoolean over = new AtomicBoolean();
    private final LongAdder served = new LongAdder();
    private final LongAdder inserted = new LongAdder();
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();

    /// Responses 503, by when they came.
    private final Map<Long, String> unavailable = new ConcurrentSkipListMap<>();

    /// The end of each insert of a plain driver that took long, by its begin.
    private final Map<Long, Long> longInserts = new ConcurrentSkipListMap<>();

    private int port;
    private int statistics;

    @Test
    void restarts_and_an_election_are_not_seen_by_clients(@TempDir Path folder) throws Exception {
        assumeTrue(hasHaproxy(), "there is no haproxy here, and apt-get cannot install it");
        try (var members = Members.start(3, folder);
                var one = gateway(folder.resolve("gateway"), members);
                var two = gateway(folder.resolve("gateway2"), members);
                var driver = MongoClients.create(members.connectionString() + "&serverSelectionTimeoutMS=120000")) {
            driver.getDatabase("chaos").getCollection("c").insertOne(new Document("_id", "x"));
            var gateways = List.of(one, two);
            gateways.forEach(GatewayChild::awaitStart);
            var balancer = balancer(folder, gateways);
            try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
                try {
                    awaitBalanced();
                    await().atMost(PATIENCE)
                            .ignoreExceptions()
                            .until(() -> read(true).status() == 200);
                    for (int i = 0; i < CLIENTS_OF_EACH_KIND; i++) {
                        clients.execute(this::readOnOneConnection);
                        clients.execute(() -> repeat(() -> read(true)));
                        clients.execute(() -> repeat(() -> read(false)));
                    }
                    clients.execute(() -> insertBesides(driver));
                    awaitServed();
                    for (var gateway : gateways) {
                        gateway.terminate();
                        awaitServed();
                        gateway.restart();
                        awaitBalanced();
                        awaitServed();
                    }
                    members.stepDown(driver);
                    awaitServed();
                    long before = inserted.sum();
                    await().atMost(PATIENCE).until(() -> inserted.sum() > before + 1);
                    awaitServed();
                } finally {
                    over.set(true);
                }
            } finally {
                balancer.destroy();
            }
            assertThat(faults).isEmpty();
            assertThat(unavailable.entrySet().stream().filter(response -> !isExplained(response.getKey())))
                    .as("503, but the driver's inserts that took long are " + longInserts)
                    .isEmpty();
        }
    }

    private void insertBesides(MongoClient driver) {
        for (; !over.get(); LockSupport.parkNanos(PAUSE.toNanos())) {
            long begun = System.nanoTime();
            while (!isInserted(driver) && !over.get()) {
                LockSupport.parkNanos(PAUSE.toNanos());
            }
            inserted.increment();
            if (System.nanoTime() - begun > LONG.toNanos()) {
                longInserts.put(begun, System.nanoTime());
            }
        }
    }

    private static boolean isInserted(MongoClient driver) {
        try {
            driver.getDatabase("chaos").getCollection("c").insertOne(new Document());
            return true;
        } catch (MongoException _) { // its connection was closed twice
            return false;
        }
    }

    private boolean isExplained(long came) {
        return longInserts.entrySet().stream()
                .anyMatch(insert -> insert.getKey() - came < 0 && came - insert.getValue() < LONG.toNanos());
    }

    private static boolean hasHaproxy() throws IOException, InterruptedException {
        var installs = "source etc/toolchain.sh; command -v haproxy || install_package haproxy";
        var process = new ProcessBuilder("bash", "-c", installs)
                .directory(ROOT.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return process.waitFor() == 0;
    }

    private static GatewayChild gateway(Path folder, Members members) throws IOException {
        return new GatewayChild(
                folder, members.connectionString(), "chaos", "restheart", GRACE, "logging: {requests-log-mode: 0}\n");
    }

    /// The shipped file with the addresses of this test, and a page of statistics beside it.
    private Process balancer(Path folder, List<GatewayChild> gateways) throws IOException {
        port = FreePort.find();
        statistics = FreePort.find();
        var shipped = Files.readString(ROOT.resolve("etc/haproxy.cfg"));
        var here = shipped.replace("maxconn 20000", "maxconn 2000") // files of this process
                .replace("bind :8000", "bind 127.0.0.1:" + port)
                .replace("gateway:8080", "127.0.0.1:" + gateways.getFirst().port())
                .replace("gateway2:8080", "127.0.0.1:" + gateways.getLast().port());
        assertThat(here).doesNotContain(":8080").contains("127.0.0.1:" + port);
        var file = Files.writeString(
                folder.resolve("haproxy.cfg"),
                here + "\nfrontend statistics\n  bind 127.0.0.1:" + statistics + "\n  stats enable\n  stats uri /\n");
        var process = new ProcessBuilder("haproxy", "-db", "-f", file.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("haproxy.log").toFile())
                .start();
        await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            try (var _ = new Socket("127.0.0.1", port)) {
                return true;
            }
        });
        return process;
    }

    /// Until both gateways get requests.
    private void awaitBalanced() {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + statistics + "/;csv"))
                .build();
        await().atMost(PATIENCE)
                .until(() -> http.send(request, BodyHandlers.ofString())
                                .body()
                                .lines()
                                .filter(line -> line.matches("gateways,gateway2?,.*,UP,.*"))
                                .count()
                        == 2);
    }

    private void awaitServed() {
        long before = served.sum();
        await().atMost(PATIENCE).until(() -> !faults.isEmpty() || served.sum() > before + 100);
        assertThat(faults).isEmpty();
    }

    private WireResponse read(boolean reads) throws IOException {
        try (var connection = new RawClient(new InetSocketAddress("127.0.0.1", port)).within(PATIENCE)) {
            return answer(connection, reads);
        }
    }

    private static WireResponse answer(RawClient connection, boolean reads) throws IOException {
        var credentials = "Authorization: " + GatewayChild.CREDENTIALS;
        return reads
                ? connection.request("GET /c/x", credentials).answer()
                : connection
                        .request("POST /c", credentials, "Content-Type: application/json", "Content-Length: 2")
                        .send("{}")
                        .answer();
    }

    private void readOnOneConnection() {
        repeat(() -> {
            try (var connection = new RawClient(new InetSocketAddress("127.0.0.1", port)).within(PATIENCE)) {
                while (!over.get()) {
                    var response = answer(connection, true);
                    if (response.status() != 200
                            || response.header("connection").orElse("").contains("close")) {
                        return response;
                    }
                    served.increment();
                    connection.pause(PAUSE);
                }
                return answer(connection, true);
            }
        });
    }

    private interface Ask {
        WireResponse ask() throws IOException;
    }

    private void repeat(Ask ask) {
        for (; !over.get(); LockSupport.parkNanos(PAUSE.toNanos())) {
            try {
                var response = ask.ask();
                if (response.status() == 503) {
                    unavailable.put(System.nanoTime(), response.toString());
                } else if (response.status() != 200 && response.status() != 201) {
                    faults.add(response.toString());
                }
                served.increment();
            } catch (IOException e) {
                faults.add(e.toString());
            }
        }
    }
}
