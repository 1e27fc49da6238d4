package org.restheart.core.security;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import at.favre.lib.crypto.bcrypt.BCrypt;
import com.mongodb.client.gridfs.GridFSBuckets;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.restheart.core.Gateway;
import org.restheart.testkit.EventStreamClient;
import org.restheart.testkit.Opened;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Whatever stays open for a caller ends with the credentials, whichever service has opened it.
@WithMongo
class EndedCredentialsTest {
    private static final String SESSION = "/api/client/v2.0/auth/session";
    private static final String LOG_IN = "/api/client/v2.0/app/any/auth/providers/%s/login";
    private static final String COMMON = """
        graphql: {enabled: true, uri: /graphql, db: $db, collection: gql-apps}
        mcp: {enabled: true, calls-per-minute: 100000, concurrent-calls: 100}
        imports: {db: $db, max-per-account: 100}
        proxies: [{location: /back, proxy-pass: 'http://127.0.0.1:$target'}]
        """;
    private static final String PARTS = COMMON + """
        apiKeyAuthMechanism: {enabled: true}
        apiKeyRealm: {keys-db: $db, keys-collection: apikeys}
        jwtConfigProvider: {key: a-key-that-both-gateways-of-this-test-know, revocations-db: $db}
        jwtAuthenticationMechanism: {enabled: true}
        jwtTokenManager: {enabled: true}
        dataApi: {enabled: true, login: true, sessions-db: $db}
        """;

    private static final AtomicInteger NAMES = new AtomicInteger();

    private static HttpServer target;

    @AutoClose
    private static TestGateway gateway;

    @AutoClose
    private static Gateway another;

    @BeforeAll
    static void start(TestMongo mongo) throws IOException {
        target = OpenResponses.target();
        gateway = TestGateway.start(mongo, targeted(PARTS));
        another = Gateway.start(TestGateway.config(
                mongo.connectionString(), gateway.database().getName(), TestGateway.REALM + targeted(PARTS)));
        prepare(gateway);
    }

    @AfterAll
    static void stop() {
        target.stop(0);
    }

    private static String targeted(String parts) {
        return parts.replace("$target", "" + target.getAddress().getPort());
    }

    private static void prepare(TestGateway at) {
        at.permit("{_id: 1, roles: ['editor'], predicate: \"path-prefix('/')\"}");
        assertStatus(201, at.as("admin").put("/watched", "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}"));
        assertStatus(201, at.as("admin").put("/big.files", "{}"));
        GridFSBuckets.create(at.database(), "big")
                .uploadFromStream(
                        new BsonString("slow"), "slow.bin", new ByteArrayInputStream(new byte[OpenResponses.FILE]));
        at.insert("gql-apps", """
            {_id: 'live', descriptor: {enabled: true},
             schema: 'type Change { operationType: String } type Query { a: Int } type Subscription { changed: Change }',
             mappings: {Query: {a: 'a'}, Subscription:
               {changed: {db: '$db', collection: 'watched', stream: 'all'}}}}
            """.replace("$db", at.database().getName()));
    }

    /// Credentials, and what ends them.
    private record Credential(String authorization, Runnable end) {}

    private enum Kind {
        KEY_DELETED,
        KEY_DISABLED,
        KEY_DELETED_ELSEWHERE,
        TOKEN_REVOKED,
        TOKEN_REVOKED_ELSEWHERE,
        SESSION_ENDED,
        SESSION_OF_KEY_DELETED,
        TOKEN_OF_ACCOUNT_DELETED,
        PASSWORD_CHANGED;

        Credential of(String name) {
            return switch (this) {
                case KEY_DELETED -> key(name, path -> gateway.user(name).delete(path));
                case KEY_DISABLED -> key(name, path -> gateway.user(name).patch(path, "{\"disabled\": true}"));
                case KEY_DELETED_ELSEWHERE ->
                    key(
                            name,
                            path -> gateway.collection("apikeys")
                                    .deleteOne(eq(
                                            "handle",
                                            new BsonObjectId(
                                                    new ObjectId(path.substring(path.lastIndexOf('/') + 1))))));
                case TOKEN_REVOKED -> {
                    var token = token(name);
                    yield new Credential(
                            token, () -> with(gateway.anonymous(), token).delete("/token"));
                }
                case TOKEN_REVOKED_ELSEWHERE -> {
                    var token = token(name);
                    yield new Credential(
                            token,
                            () -> with(TestClient.of(another.address()), token).delete("/token"));
                }
                case SESSION_ENDED -> {
                    var session = logIn("local-userpass", "{\"username\": \"" + name + "\", \"password\": \"pw\"}");
                    yield new Credential(
                            bearer(session, "access_token"),
                            () -> with(gateway.anonymous(), bearer(session, "refresh_token"))
                                    .delete(SESSION));
                }
                case SESSION_OF_KEY_DELETED -> {
                    var key = made(name);
                    var session = logIn(
                            "api-key", "{\"key\": \"" + key.getString("key").getValue() + "\"}");
                    yield new Credential(
                            bearer(session, "access_token"),
                            () -> gateway.user(name).delete(path(key)));
                }
                case TOKEN_OF_ACCOUNT_DELETED ->
                    new Credential(token(name), () -> gateway.as("admin").delete("/users/" + name));
                case PASSWORD_CHANGED ->
                    new Credential(
                            TestClient.basic(name, "pw"),
                            () -> gateway.as("admin").patch("/users/" + name, "{\"password\": \"another\"}"));
            };
        }
    }

    private static Credential key(String name, java.util.function.Consumer<String> end) {
        var made = made(name);
        return new Credential("Bearer " + made.getString("key").getValue(), () -> end.accept(path(made)));
    }

    private static BsonDocument made(String name) {
        return json(gateway.user(name).post("/_apikeys", "{\"days\": 7}"));
    }

    private static String path(BsonDocument key) {
        return "/_apikeys/" + key.getString("handle").getValue();
    }

    private static String token(String name) {
        return bearer(json(gateway.user(name).send("POST", "/token?renew", "")), "access_token");
    }

    private static BsonDocument logIn(String provider, String content) {
        return json(gateway.anonymous().post(LOG_IN.formatted(provider), content));
    }

    private static BsonDocument json(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isBetween(200, 201);
        return BsonDocument.parse(response.body());
    }

    private static String bearer(BsonDocument session, String name) {
        return "Bearer " + session.getString(name).getValue();
    }

    private static TestClient with(TestClient client, String authorization) {
        return client.with("Authorization", authorization);
    }

    private static String account(TestGateway at) {
        var name = "user" + NAMES.incrementAndGet();
        at.insert("users", "{_id: '%s', password: '%s', roles: ['editor']}".formatted(name, TestGateway.hash("pw")));
        return name;
    }

    @ParameterizedTest
    @EnumSource
    void nothing_stays_open_when_the_credentials_have_ended(Kind kind) throws Exception {
        var ending = kind.of(account(gateway));
        var lasting = kind.of(account(gateway));
        try (var open = OpenResponses.open(gateway, ending.authorization());
                var others = OpenResponses.open(gateway, lasting.authorization())) {
            assertThat(open.stillOpen()).hasSize(OpenResponses.KINDS);
            ending.end().run();
            Patience.within(Duration.ofSeconds(5))
                    .untilAsserted(() -> assertThat(open.stillOpen()).isEmpty());
            assertThat(others.stillOpen()).hasSize(OpenResponses.KINDS); // after the same checks
        }
    }

    private static String slowHash(String password) {
        return BCrypt.withDefaults().hashToString(12, password.toCharArray());
    }

    private static Future<?> end(ExecutorService threads, Listener listener) {
        return threads.submit(() -> {
            try {
                listener.next();
            } catch (IOException _) {
                return;
            }
            throw new AssertionError("an event");
        });
    }

    /// A quarter of a second for each password that is checked.
    @Test
    void many_responses_of_one_account_delay_neither_each_other_nor_those_of_others() throws Exception {
        gateway.insert("users", "{_id: 'many', password: '" + slowHash("pw") + "', roles: ['editor']}");
        var single = account(gateway);
        var ends = new ArrayList<Future<?>>();
        try (var other = new Listener(single);
                var open = new Opened<Listener>();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 60; i++) {
                var each = open.add(new Listener("many"));
                assertThat(each.status()).contains(" 200 ");
                ends.add(end(threads, each));
            }
            var otherEnds = end(threads, other);
            gateway.collection("users").updateOne(eq("_id", "many"), set("password", slowHash("another")));
            await().until(() -> ends.stream().anyMatch(Future::isDone)); // the checks have begun
            gateway.collection("users").deleteOne(eq("_id", single));
            long soon = Patience.relative(Duration.ofSeconds(8)).toNanos();
            otherEnds.get(soon, TimeUnit.NANOSECONDS);
            for (var each : ends) {
                each.get(soon, TimeUnit.NANOSECONDS);
            }
        }
    }

    /// To the changes of `/watched`, with a password.
    private static final class Listener extends EventStreamClient {
        Listener(String name) throws IOException {
            super(
                    gateway.address().getPort(),
                    "GET /watched/_streams/all",
                    List.of("Authorization: " + TestClient.basic(name, "pw")),
                    "");
        }
    }

    /// Begins with more than is kept in memory, and does not end by itself.
    private static final class SlowContent extends InputStream {
        private int left = 10 << 20;

        @Override
        public int read() throws IOException {
            if (left-- <= 0) {
                try {
                    Thread.sleep(1); // a client's pace, not a wait of the test
                } catch (InterruptedException e) {
                    throw new InterruptedIOException();
                }
            }
            return 'a';
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int n = left > length ? length : Math.min(length, 50);
            for (int i = 0; i < n; i++) {
                bytes[offset + i] = (byte) read();
            }
            return n;
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"KEY_DELETED", "PASSWORD_CHANGED"})
    void no_upload_goes_on_when_the_credentials_have_ended(Kind kind) {
        var ending = kind.of(account(gateway));
        var chunks = gateway.collection("big.chunks");
        long before = chunks.countDocuments();
        try (var client = HttpClient.newHttpClient()) {
            var upload = client.sendAsync(
                    HttpRequest.newBuilder(URI.create(
                                    "http://127.0.0.1:" + gateway.address().getPort() + "/big.files/endless"))
                            .header("Authorization", ending.authorization())
                            .header("Content-Type", "application/octet-stream")
                            .PUT(HttpRequest.BodyPublishers.ofInputStream(SlowContent::new))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            await().until(() -> chunks.countDocuments() > before);
            ending.end().run();
            await().until(() -> chunks.countDocuments() == before);
            await().until(upload::isDone);
            client.shutdownNow();
        }
        assertThat(gateway.stored("big.files", "endless")).isNull();
    }

    @Test
    void a_random_token_ends_what_is_open(TestMongo mongo) throws Exception {
        try (var local = TestGateway.start(mongo, targeted(COMMON) + """
            tokenBasicAuthMechanism: {enabled: true}
            rndTokenManager: {enabled: true}
            authTokenService: {enabled: true, uri: /token}
            """)) {
            prepare(local);
            var ending = randomToken(local);
            try (var open = OpenResponses.open(local, ending);
                    var others = OpenResponses.open(local, randomToken(local))) {
                assertThat(open.stillOpen()).hasSize(OpenResponses.KINDS);
                assertStatus(204, with(local.anonymous(), ending).delete("/token"));
                Patience.within(Duration.ofSeconds(5))
                        .untilAsserted(() -> assertThat(open.stillOpen()).isEmpty());
                assertThat(others.stillOpen()).hasSize(OpenResponses.KINDS);
            }
        }
    }

    private static String randomToken(TestGateway at) {
        var name = account(at);
        var token = json(at.user(name).send("POST", "/token", "")).getString("access_token");
        return TestClient.basic(name, token.getValue());
    }

    @Test
    void what_changes_elsewhere_ends_nothing() throws Exception {
        var name = account(gateway);
        var key = made(name);
        var ending = Kind.KEY_DELETED.of(account(gateway));
        try (var open = OpenResponses.open(
                        gateway, "Bearer " + key.getString("key").getValue());
                var others = OpenResponses.open(gateway, ending.authorization())) {
            gateway.collection("users").updateOne(eq("_id", name), set("color", "blue"));
            assertStatus(204, gateway.user(name).patch(path(key), "{\"name\": \"another\"}"));
            made(name);
            ending.end().run();
            Patience.within(Duration.ofSeconds(5))
                    .untilAsserted(() -> assertThat(others.stillOpen()).isEmpty());
            assertThat(open.stillOpen()).hasSize(OpenResponses.KINDS);
        }
    }
}
