package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.chaos.GatewayChild.CREDENTIALS;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.core.chaos.GatewayChild;
import org.restheart.embedded.FreePort;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// `SIGTERM` to a gateway under load, behind a balancer that leaves it when `/health/ready` is not 200: no connection
/// breaks and no request is refused. `-Dstop.rounds=20` stops it so many times.
@WithMongo
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class StopUnderLoadTest {
    private static final int ROUNDS = Integer.getInteger("stop.rounds", 1);
    private static final int CLIENTS_OF_EACH_KIND = 32;
    private static final int HTTP_2_CONNECTIONS = 4;

    /// Ends as soon as no more requests come; long enough for a balancer that shares two processors with others.
    private static final Duration GRACE = Duration.ofMinutes(1);

    /// Of clients: what counts is whether they are answered, not when.
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /// Of each client, between two requests.
    private static final Duration PAUSE = Duration.ofMillis(50);

    /// Of the balancer.
    private static final Duration PROBE_INTERVAL = Duration.ofMillis(250);

    @AutoClose
    private final GatewayChild gateway;

    private final TestKeystore keystore;
    private final int tlsPort;
    private final Map<Kind, LongAdder> served = new EnumMap<>(Kind.class);
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();

    private enum Kind {
        KEEP_ALIVE,
        CONNECTION_PER_REQUEST,
        HTTP_2
    }

    StopUnderLoadTest(TestMongo mongo, @TempDir Path folder) throws Exception {
        mongo.database().getCollection("c").insertOne(new Document("_id", "x").append("a", 1));
        keystore = TestKeystore.shared();
        tlsPort = FreePort.find();
        gateway = new GatewayChild(
                folder.resolve("gateway"),
                mongo.connectionString(),
                mongo.databaseName(),
                mongo.databaseName(),
                GRACE,
                "https-listener: " + keystore.listener(tlsPort, "changeit") + "\n");
        Stream.of(Kind.values()).forEach(kind -> served.put(kind, new LongAdder()));
    }

    private InetSocketAddress address() {
        return new InetSocketAddress("127.0.0.1", gateway.port());
    }

    private HttpRequest request(String path) {
        return request("http://127.0.0.1:" + gateway.port(), path);
    }

    private static HttpRequest request(String server, String path) {
        return HttpRequest.newBuilder(URI.create(server + path))
                .timeout(PATIENCE)
                .header("Authorization", CREDENTIALS)
                .build();
    }

    @Test
    void no_connection_breaks_and_no_request_is_refused() throws Exception {
        for (int round = 1; round <= ROUNDS; round++) {
            if (round > 1) {
                gateway.restart();
            }
            gateway.awaitStart();
            stopUnderLoad();
            assertThat(faults).as("in stop %d of %d", round, ROUNDS).isEmpty();
        }
    }

    private void stopUnderLoad() throws Exception {
        var inBalance = new AtomicBoolean(true);
        var http2 = new ArrayList<HttpClient>();
        try (var http1 = HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .build();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            await() // the first account is made while it listens
                    .until(() -> http1.send(request("/c/x"), BodyHandlers.discarding())
                                    .statusCode()
                            == 200);
            served.values().forEach(LongAdder::reset);
            for (int i = 0; i < HTTP_2_CONNECTIONS; i++) {
                http2.add(HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_2)
                        .sslContext(keystore.context())
                        .build());
            }
            for (int i = 0; i < CLIENTS_OF_EACH_KIND; i++) {
                var client = http2.get(i % HTTP_2_CONNECTIONS);
                threads.execute(() -> http1(inBalance, true));
                threads.execute(() -> http1(inBalance, false));
                threads.execute(() -> http2(inBalance, client));
            }
            await().until(() -> served.values().stream().allMatch(each -> each.sum() > 200));
            var balancer = threads.submit(() -> {
                balance(http1);
                inBalance.set(false);
            });
            gateway.terminate();
            balancer.get();
        } finally {
            http2.forEach(HttpClient::close);
        }
    }

    /// Returns when the gateway is not ready any more.
    private void balance(HttpClient client) {
        await().pollInterval(PROBE_INTERVAL)
                .until(() -> client.send(request("/health/ready"), BodyHandlers.discarding())
                                .statusCode()
                        != 200);
    }

    /// Uses a connection until a response says that it ends, or for one request.
    private void http1(AtomicBoolean inBalance, boolean keepsAlive) {
        var kind = keepsAlive ? Kind.KEEP_ALIVE : Kind.CONNECTION_PER_REQUEST;
        while (inBalance.get()) {
            try (var connection = new RawClient(address()).within(PATIENCE)) {
                for (boolean goesOn = true; goesOn && inBalance.get(); ) {
                    var response = connection
                            .request("GET /c/x", "Authorization: " + CREDENTIALS)
                            .answer();
                    record(kind, response.status());
                    LockSupport.parkNanos(PAUSE.toNanos());
                    goesOn = keepsAlive
                            && !response.header("connection").orElse("").contains("close");
                }
            } catch (IOException e) {
                faults.add(kind + ": " + e);
                return;
            }
        }
    }

    private void http2(AtomicBoolean inBalance, HttpClient client) {
        var request = request("https://localhost:" + tlsPort, "/c/x");
        while (inBalance.get()) {
            try {
                var response = client.send(request, BodyHandlers.discarding());
                record(Kind.HTTP_2, response.statusCode());
                LockSupport.parkNanos(PAUSE.toNanos());
                if (response.version() != HttpClient.Version.HTTP_2) {
                    faults.add("not HTTP/2: " + response.version());
                }
            } catch (IOException e) {
                faults.add(Kind.HTTP_2 + ": " + e);
                return;
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void record(Kind kind, int status) {
        served.get(kind).increment();
        if (status != 200) {
            faults.add(kind + ": " + status);
        }
    }
}
