package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.core.server.RawClient;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// One caller whose requests compute much does not stop others.
@WithMongo
class ComputationsTest {
    private static final int CONNECTIONS = 150;
    private static final int COLLECTIONS = 200;
    private static final int PERMISSIONS = 36;
    private static final int READS = 9;
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofSeconds(5);

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(
                mongo, "graphql: {enabled: true, uri: /graphql, db: $db, collection: gql-apps, max-aliases: 1000}\n");
        var listed = IntStream.range(0, COLLECTIONS).mapToObj(i -> "c" + i).toList();
        listed.forEach(gateway.database()::createCollection);
        for (int i = 0; i < PERMISSIONS; i++) {
            gateway.permit(
                    "{_id: " + i + ", roles: ['viewer'], predicate: \"path-prefix('/c" + i + "/x') and method(GET)\"}");
        }
        gateway.permit("{_id: 'graphql', roles: ['viewer'], predicate: \"path-prefix('/graphql')\"}");
        gateway.permit(
                "{_id: 'shown', roles: ['editor'], predicate: \"path-prefix('/shown') or path-prefix('/graphql')\"}");
        gateway.insert("shown", "{_id: 'one'}");
        gateway.insert("gql-apps", """
            {_id: 'docs', descriptor: {enabled: true, uri: 'docs'},
              schema: 'type Doc { _id: String } type Item { n: Int } type Big { items: [Item] } type Query { docs: [Doc] doc: Doc many: [Doc] big: Big }',
              mappings: {Query: {docs: {db: '%1$s', collection: 'shown'}, many: {db: '%1$s', collection: 'many', limit: 1000},
                doc: {db: '%1$s', collection: 'shown', find: {_id: 'one'}},
                big: {db: '%1$s', collection: 'big', find: {_id: 'big'}}}}}
            """.formatted(gateway.database().getName()));
        gateway.insert(
                "big",
                IntStream.range(0, 2_500)
                        .mapToObj(i -> "{n: " + i + "}")
                        .collect(Collectors.joining(", ", "{_id: 'big', items: [", "]}")));
        for (int i = 0; i < 1_000; i++) {
            gateway.insert("many", "{_id: 'm" + i + "'}");
        }
    }

    /// Sends requests on connections of their own, one after the other on each, until it is closed.
    private static final class Flood implements AutoCloseable {
        private final Map<Integer, Integer> statuses = new ConcurrentHashMap<>();
        private final Queue<RawClient> clients = new ConcurrentLinkedQueue<>();
        private volatile boolean closed;

        Flood(IntFunction<byte[]> requests) {
            for (int i = 0; i < CONNECTIONS; i++) {
                int first = i * 1_000_000;
                Thread.ofPlatform().daemon().start(() -> send(first, requests));
            }
        }

        private void send(int first, IntFunction<byte[]> requests) {
            try (var client = new RawClient(gateway.address()).within(Duration.ZERO)) {
                clients.add(client);
                for (int i = first; !closed; i++) {
                    statuses.merge(client.send(requests.apply(i)).answer().status(), 1, Integer::sum);
                }
            } catch (IOException _) {
                statuses.merge(0, 1, Integer::sum);
            }
        }

        /// Whether all have sent a request, and the gateway has answered one.
        boolean hasBegun() {
            return clients.size() == CONNECTIONS && !statuses.isEmpty();
        }

        Map<Integer, Integer> statuses() {
            return new TreeMap<>(statuses);
        }

        @Override
        public void close() throws IOException {
            closed = true;
            for (var client : clients) {
                client.close();
            }
        }
    }

    private static byte[] request(String method, String target, String account, String body) {
        var authorization =
                account.isEmpty() ? "" : "Authorization: " + TestClient.basic(account, account + "-pw") + "\r\n";
        return (method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + authorization
                        + "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
    }

    /// How long a request takes, at most [#LONGEST].
    private static Duration time(byte[] request) throws IOException {
        long begun = System.nanoTime();
        try (var client = new RawClient(gateway.address()).within(LONGEST)) {
            assertThat(client.send(request).answer().status()).isEqualTo(200);
            return Duration.ofNanos(System.nanoTime() - begun);
        } catch (SocketTimeoutException _) {
            return LONGEST;
        }
    }

    private static byte[] query(String account, String query) {
        return request("POST", "/graphql/docs", account, new BsonDocument("query", new BsonString(query)).toJson());
    }

    private static void assertOthersRead(IntFunction<byte[]> requests) throws Exception {
        var reads = List.of(
                request("GET", "/shown/one", "ada", ""),
                request("GET", "/shown/_size", "ada", ""),
                query("ada", "{ doc { _id } }"));
        // so that the code is warm, and nothing of an earlier flood is left
        for (var each : Stream.concat(reads.stream(), Stream.of(requests.apply(999_999_999)))
                .toList()) {
            await().untilAsserted(() -> assertThat(time(each)).isLessThan(LONGEST));
        }
        var times = new ArrayList<List<Duration>>();
        reads.forEach(_ -> times.add(new ArrayList<>()));
        Map<Integer, Integer> statuses;
        try (var flood = new Flood(requests)) {
            await().until(flood::hasBegun);
            for (int i = 0; i < READS; i++) {
                times.get(i % reads.size()).add(time(reads.get(i % reads.size())));
            }
            statuses = flood.statuses();
        }
        assertThat(times).as(times + " " + statuses).allSatisfy(each -> {
            var sorted = each.stream().sorted().toList();
            assertThat(sorted.get(sorted.size() / 2)).isLessThan(Patience.relative(SOON));
        });
    }

    @Test
    void accounts_without_permissions() throws Exception {
        assertOthersRead(_ -> request("GET", "/_access", "bob", ""));
        assertOthersRead(_ -> request("GET", "/_openapi", "bob", ""));
    }

    @Test
    void long_queries() throws Exception {
        var fields = "docs{_id} ".repeat(3_500);
        assertOthersRead(i -> query("bob", "query q" + i + " { " + fields + "}"));
    }

    @Test
    void large_documents_give_their_places_back() {
        var processors = Runtime.getRuntime().availableProcessors();
        for (int i = 0; i < 2 * processors + 2; i++) {
            var body = new BsonDocument("query", new BsonString("{ big { items { n } } }")).toJson();
            var answer = gateway.as("bob").post("/graphql/docs", body);
            assertStatus(200, answer);
        }
        assertStatus(200, gateway.as("ada").get("/_openapi"));
    }

    @Test
    void large_results() throws Exception {
        var names = IntStream.range(0, 40).mapToObj(i -> "n" + i + ": _id").collect(Collectors.joining(" "));
        assertOthersRead(_ -> query("bob", "{ many { " + names + " } }"));
    }

    /// As many accounts as there are places compute results that take seconds each. Who needs a place for a moment does
    /// not wait until one of them has ended.
    @Test
    void long_results_of_several_accounts_leave_turns_to_others() throws Exception {
        int accounts = Math.max(2, Runtime.getRuntime().availableProcessors());
        for (int i = 0; i < accounts; i++) {
            gateway.insertUsers("{_id: 'long" + i + "', roles: ['viewer']}");
        }
        var names = IntStream.range(0, 40).mapToObj(i -> "n" + i + ": _id").collect(Collectors.joining(" "));
        var query = IntStream.range(0, 12)
                .mapToObj(i -> "m" + i + ": many { " + names + " }")
                .collect(Collectors.joining(" ", "{ ", " }"));
        var body = new BsonDocument("query", new BsonString(query)).toJson();
        var one = gateway.user("long0").post("/graphql/docs", body);
        assertStatus(200, one);
        var longTimes = new ConcurrentLinkedQueue<Duration>();
        var running = new ArrayList<CompletableFuture<Void>>();
        var done = new AtomicBoolean();
        for (int i = 0; i < accounts; i++) {
            var account = gateway.user("long" + i);
            running.add(CompletableFuture.runAsync(
                    () -> {
                        while (!done.get()) {
                            long begun = System.nanoTime();
                            account.post("/graphql/docs", body);
                            longTimes.add(Duration.ofNanos(System.nanoTime() - begun));
                        }
                    },
                    task -> Thread.ofPlatform().start(task)));
        }
        try {
            await().until(() -> longTimes.size() >= accounts);
            longTimes.clear(); // the next ones run beside each other from their beginning
            var times = new ArrayList<Duration>();
            for (int i = 0; i < 3 * READS; i++) {
                times.add(time(query("ada", "{ many { a: _id b: _id c: _id } }")));
            }
            done.set(true);
            running.forEach(CompletableFuture::join);
            assertThat(percentile(times, 90))
                    .as(longTimes + " " + times)
                    .isLessThan(median(longTimes).dividedBy(2));
        } finally {
            done.set(true);
        }
    }

    private static Duration median(Collection<Duration> times) {
        return percentile(times, 50);
    }

    private static Duration percentile(Collection<Duration> times, int percent) {
        return times.stream().sorted().toList().get(times.size() * percent / 100);
    }

    @Test
    void long_checks() throws Exception {
        var body = "{\"path\": \"/c1/x\", \"method\": \"POST\", \"body\": [" + "{\"a\": 1}, ".repeat(20_000) + "{}]}";
        assertOthersRead(_ -> request("POST", "/_access/check", "bob", body));
    }
}
