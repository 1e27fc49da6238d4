package org.restheart.core.security;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.server.RawClient;
import org.restheart.http.MemoryBudget;
import org.restheart.testkit.ClientTransaction;
import org.restheart.testkit.Opened;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// One caller whose requests wait never stops others.
@WithMongo
class OneCallerTest {
    /// Much less than what the waiting requests wait, and what tests that share a machine take from each other.
    private static final Duration SOON = Duration.ofSeconds(4);

    private static final Duration TIME_LIMITS = Duration.ofSeconds(15);

    /// More clients than there are connections to MongoDB.
    private static final int FLOODING = 300;

    /// Requests that exceed the limit of the gateway are refused after half a second.
    private static final Duration LONGER_THAN_A_BURST = Duration.ofSeconds(2);

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    /// Waits until MongoDB has been executing a write of the gateway for half a second: it waits for the
    /// transaction.
    private static void awaitBlocked(TestMongo mongo, TestGateway gateway, String collection) {
        var blocked =
                "{active: true, ns: '%s.%s', op: {$in: ['update', 'insert', 'command']}, microsecs_running: {$gt: 500000}}"
                        .formatted(gateway.database().getName(), collection);
        Patience.within(TIME_LIMITS)
                .until(() -> !TestMongo.operations(mongo.client(), blocked).isEmpty());
    }

    private static void assertSoon(Callable<HttpResponse<String>> request, int status) throws Exception {
        long start = System.nanoTime();
        var response = request.call();
        assertStatus(status, response);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Patience.relative(SOON));
    }

    @Test
    void a_caller_that_waits_for_its_own_transaction_does_not_take_the_connections_of_others(TestMongo mongo)
            throws Exception {
        try (var gateway = TestGateway.startWithPool(mongo, 16, "")) {
            gateway.permit("{_id: 1, roles: ['viewer'],"
                    + " predicate: \"path-prefix('/books') or path-prefix('/_sessions')\","
                    + " mongo: {allowWriteMode: true}}");
            gateway.permit("{_id: 2, roles: ['editor'], predicate: \"path-prefix('/books')\", mongo: {}}");
            gateway.insert("books", "{_id: '20', n: 0}", "{_id: '21', n: 0}");
            assertStatus(200, gateway.as("ada").get("/books/21"));
            var bob = gateway.as("bob");
            var transaction = ClientTransaction.begin(bob);
            assertStatus(200, bob.patch(transaction.in("/books/20"), "{\"n\": 1}"));
            assertStatus(201, bob.post(transaction.in("/books"), "{\"_id\": \"30\"}"));

            var waiting = new ArrayList<Future<HttpResponse<String>>>();
            for (int i = 0; i < 60; i++) {
                var filter = TestGateway.encode("{\"q" + i + "\": {\"$exists\": false}}");
                waiting.add(threads.submit(() -> bob.patch("/books/20?filter=" + filter, "{\"n\": 2}")));
                waiting.add(threads.submit(() -> bob.put("/books/20?wm=upsert&filter=" + filter, "{\"n\": 2}")));
            }
            waiting.add(threads.submit(() -> bob.post("/books", "{\"_id\": \"30\"}")));
            long start = System.nanoTime();
            awaitBlocked(mongo, gateway, "books");
            var admin = gateway.as("admin");
            var ada = gateway.as("ada");
            for (int i = 0; i < 3; i++) {
                int n = i;
                assertSoon(() -> ada.get("/books?filter=" + TestGateway.encode("{\"n\": " + n + "}")), 200);
                assertSoon(() -> ada.patch("/books/21", "{\"n\": " + n + "}"), 200);
                assertSoon(() -> ada.post("/books", "{\"n\": " + n + "}"), 201);
                assertSoon(() -> admin.put("/new" + n, "{}"), 201);
                assertSoon(() -> gateway.anonymous().get("/health/db"), 200);
                assertSoon(() -> gateway.anonymous().as("nobody" + n, "x").get("/books"), 401);
            }
            for (var each : waiting.subList(0, waiting.size() - 1)) {
                var response = each.get(60, TimeUnit.SECONDS);
                assertStatus(503, response);
                assertThat(response.headers().firstValue("Retry-After")).isPresent();
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isLessThan(Patience.relative(TIME_LIMITS.plus(TIME_LIMITS)));
            transaction.abort();
            assertThat(gateway.stored("books", "20").getNumber("n").intValue()).isZero();
            assertStatus(200, bob.patch("/books/20", "{\"n\": 3}"));
        }
    }

    /// MongoDB 6.0 does not end such an upsert, whatever its time limit.
    @Test
    void an_account_that_upserts_what_its_transaction_has_inserted_does_not_stop_changes_of_others(TestMongo mongo)
            throws Exception {
        try (var gateway = TestGateway.start(mongo, "")) {
            gateway.permit("viewer", "path-prefix('/books') or path-prefix('/_sessions')", "{allowWriteMode: true}");
            gateway.permit("editor", "path-prefix('/books')", "{allowWriteMode: true}");
            gateway.insert("books", "{_id: 'mine', n: 0}");
            var bob = gateway.as("bob");
            var transaction = ClientTransaction.begin(bob);
            var four = "[{\"_id\": \"0\"}, {\"_id\": \"1\"}, {\"_id\": \"2\"}, {\"_id\": \"3\"}]";
            assertStatus(200, bob.post(transaction.in("/books"), four));
            var waiting = new ArrayList<Future<HttpResponse<String>>>();
            for (int i = 0; i < 12; i++) {
                var target = "/books/" + i % 4 + "?wm=upsert";
                waiting.add(threads.submit(() -> bob.patch(target, "{\"n\": 1}")));
            }
            awaitBlocked(mongo, gateway, "books");
            var ada = gateway.as("ada");
            for (int i = 0; i < 3; i++) {
                assertSoon(() -> ada.patch("/books/mine", "{\"n\": 1}"), 200);
                assertSoon(() -> ada.put("/books/mine?wm=upsert", "{\"n\": 1}"), 200);
            }
            transaction.abort();
            for (var each : waiting) {
                assertThat(each.get(60, TimeUnit.SECONDS).statusCode()).isIn(200, 201);
            }
        }
    }

    @Test
    void an_account_that_changes_itself_in_a_transaction_does_not_stop_changes_of_accounts(TestMongo mongo)
            throws Exception {
        try (var gateway = TestGateway.startWithPool(mongo, 100, "")) {
            gateway.insertUsers("{_id: 'eve', roles: ['self']}");
            gateway.insertUsers("{_id: 'x', roles: ['none']}");
            gateway.permit("{_id: 1, roles: ['self'],"
                    + " predicate: \"path('/users/eve') or path-prefix('/_sessions')\", mongo: {}}");
            var eve = gateway.user("eve");
            var transaction = ClientTransaction.begin(eve);
            assertStatus(200, eve.patch(transaction.in("/users/eve"), "{\"color\": 1}"));
            var waiting = threads.submit(() -> eve.patch("/users/eve", "{\"color\": 2}"));
            awaitBlocked(mongo, gateway, "users");

            var admin = gateway.as("admin");
            assertSoon(() -> admin.patch("/users/bob", "{\"color\": 3}"), 200);
            assertSoon(() -> admin.delete("/users/x"), 204);
            assertSoon(() -> admin.patch("/users/admin", "{\"roles\": []}"), 409);
            assertStatus(503, waiting.get(60, TimeUnit.SECONDS));
            transaction.abort();
        }
    }

    /// Sends one request after the other, from another address than all other requests of these tests: a caller
    /// without credentials.
    ///
    /// @param answered counts the responses
    private static void flood(TestGateway gateway, String request, AtomicInteger answered, AtomicBoolean ended) {
        while (!ended.get()) {
            try (var socket = new Socket()) {
                socket.bind(new InetSocketAddress("127.0.0.9", 0));
                socket.connect(gateway.address());
                socket.setSoTimeout(60_000);
                while (!ended.get()) {
                    var head = request.replace("$random", UUID.randomUUID().toString());
                    socket.getOutputStream().write(head.getBytes(US_ASCII));
                    if (socket.getInputStream().read(new byte[4_096]) < 0) {
                        break;
                    }
                    answered.incrementAndGet();
                }
            } catch (IOException _) {
                // closed by the gateway
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"GET /open/$random HTTP/1.1\r\nHost: a\r\n\r\n", "GET /open-$random HTTP/1.1\r\nHost: a\r\n\r\n"
            })
    void look_ups_of_unknown_names_do_not_take_the_connections_of_others(String request, TestMongo mongo)
            throws Exception {
        try (var gateway = TestGateway.startWithPool(mongo, 16, "")) {
            gateway.permit("{_id: 1, roles: ['editor'], predicate: \"path-prefix('/books')\", mongo: {}}");
            gateway.permit("{_id: 2, roles: ['$unauthenticated'], predicate: \"regex('^/open.*')\", mongo: {}}");
            gateway.insert("books", "{_id: '20', n: 0}");
            gateway.insert("open", "{_id: '20', n: 0}");
            var ada = gateway.as("ada");
            assertStatus(200, ada.get("/books/20"));
            var answered = new AtomicInteger();
            var ended = new AtomicBoolean();
            try {
                for (int i = 0; i < FLOODING; i++) {
                    threads.submit(() -> flood(gateway, request, answered, ended));
                }
                Patience.within(TIME_LIMITS).until(() -> answered.get() > 2 * FLOODING);
                assertServed(ada);
            } finally {
                ended.set(true);
            }
        }
    }

    /// Requests of two accounts share most commands. They ask more than there are connections.
    @Test
    void accounts_that_send_equal_requests_do_not_take_the_connections_of_others(TestMongo mongo) throws Exception {
        var answered = new AtomicInteger();
        var ended = new AtomicBoolean();
        try (var gateway = TestGateway.startWithPool(mongo, 16, "")) {
            gateway.permit("{_id: 1, roles: ['viewer', 'editor'], predicate: \"path-prefix('/books')\", mongo: {}}");
            gateway.insert("books", "{_id: '20', n: 0}");
            gateway.addUsers("editor", "viewer");
            var ada = gateway.as("ada");
            assertStatus(200, ada.get("/books/20"));
            try {
                for (int i = 0; i < 12 * 10; i++) {
                    var caller = i % 2 == 0 ? gateway.user("editor") : gateway.user("viewer");
                    var target = "/books?filter=" + TestGateway.encode(TestGateway.slowFilter(200_000 + i / 10));
                    threads.submit(() -> {
                        while (!ended.get()) {
                            caller.get(target);
                            answered.incrementAndGet();
                        }
                    });
                }
                Patience.within(TIME_LIMITS.multipliedBy(2)).until(() -> answered.get() > 2 * 12);
                assertServed(ada);
            } finally {
                ended.set(true);
            }
        }
    }

    /// All requests are served, most of them soon: other tests may take a busy machine for some seconds.
    private static void assertServed(TestClient client) {
        var times = new ArrayList<Duration>();
        for (int i = 0; i < 11; i++) {
            long start = System.nanoTime();
            assertStatus(200, client.get("/books?filter=" + TestGateway.encode("{\"n\": " + i + "}")));
            times.add(Duration.ofNanos(System.nanoTime() - start));
        }
        assertThat(times.stream().sorted().toList().get(8)).as("of " + times).isLessThan(Patience.relative(SOON));
    }

    /// More of them than are in progress under overload.
    @Test
    void requests_that_wait_for_their_clients_are_no_overload(TestMongo mongo) throws Exception {
        try (var gateway = TestGateway.start(mongo, "");
                var slow = new Opened<RawClient>()) {
            gateway.permit("{_id: 1, roles: ['viewer'], predicate: \"path-prefix('/books')\", mongo: {}}");
            gateway.insert("books", "{_id: '20', n: 0}");
            var bob = gateway.as("bob");
            assertStatus(200, bob.get("/books/20"));
            for (int i = 0; i < 320; i++) {
                slow.add(new RawClient(gateway.address()))
                        .request(
                                "POST /books",
                                "Content-Length: 5000",
                                "Content-Type: application/json",
                                "Authorization: " + TestClient.basic("bob", "bob-pw"))
                        .send("{\"a\":");
            }
            long end = System.nanoTime() + LONGER_THAN_A_BURST.toNanos();
            while (System.nanoTime() - end < 0) {
                assertStatus(200, bob.get("/books/20"));
            }
        }
    }

    /// The first bytes of an upload, the rest of which takes long.
    private static Socket upload(TestGateway gateway, String account, String name) throws IOException {
        var socket =
                new Socket(gateway.address().getAddress(), gateway.address().getPort());
        socket.setSoTimeout(60_000);
        socket.getOutputStream()
                .write(("PUT /f.files/" + name + " HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n"
                                + "Content-Type: application/octet-stream\r\nAuthorization: "
                                + TestClient.basic(account, account + "-pw") + "\r\n\r\nabc")
                        .getBytes(US_ASCII));
        return socket;
    }

    private static List<Socket> answered(List<Socket> clients) throws IOException {
        var answered = new ArrayList<Socket>();
        for (var client : clients) {
            if (client.getInputStream().available() > 0) {
                answered.add(client);
            }
        }
        return answered;
    }

    @Test
    void slow_uploads_of_one_account_leave_room_for_those_of_others(TestMongo mongo) throws Exception {
        int places = (int) (MemoryBudget.Part.DATA.bytes() / (4 << 20));
        try (var gateway = TestGateway.startWithPool(mongo, 100, "");
                var slow = new Opened<Socket>()) {
            gateway.permit("{_id: 1, roles: ['viewer'], predicate: \"path-prefix('/f.files')\", mongo: {}}");
            var admin = gateway.as("admin");
            assertStatus(201, admin.put("/f.files", "{}"));
            for (int i = 0; i < places + 20; i++) {
                slow.add(upload(gateway, "bob", "slow" + i));
            }
            // which ones are refused depends on the order in which their threads run
            await().until(() -> answered(slow.all()).size(), count -> count >= 20);
            for (var refused : answered(slow.all())) {
                var status = refused.getInputStream().readNBytes("HTTP/1.1 503".length());
                assertThat(new String(status, US_ASCII)).isEqualTo("HTTP/1.1 503");
            }
            var response =
                    admin.with("Content-Type", "application/octet-stream").send("PUT", "/f.files/mine", "bytes");
            assertStatus(201, response);
        }
    }
}
