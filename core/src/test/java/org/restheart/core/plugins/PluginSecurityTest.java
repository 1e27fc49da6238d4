package org.restheart.core.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.restheart.testkit.Statuses.assertStatus;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.Gateway;
import org.restheart.core.security.LogLines;
import org.restheart.core.server.StartException;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Who asks, and whether they may, by plugins.
@WithMongo
class PluginSecurityTest {
    private final TestMongo mongo;
    private final PluginFolder plugins;
    private final String orders;

    PluginSecurityTest(TestMongo mongo, @TempDir Path directory) {
        this.mongo = mongo;
        this.plugins = new PluginFolder(directory.resolve("plugins"));
        this.orders = "/" + mongo.databaseName() + "/orders";
    }

    @BeforeEach
    void twoOrders() {
        var stored = mongo.database().getCollection("orders");
        stored.deleteMany(new Document());
        stored.insertMany(
                List.of(new Document("_id", "a").append("dept", 7), new Document("_id", "b").append("dept", 8)));
    }

    private static TestClient client(Gateway gateway) {
        return TestClient.of(gateway.address());
    }

    @Test
    void foreign_identities() {
        plugins.plugin("badge", """
            public void install(Installation to) {
                to.authenticator(new Authenticator() {
                    public Authentication authenticate(Request request) {
                        var badge = request.headers().first("X-Badge");
                        if (badge.isEmpty()) return Authentication.ABSENT;
                        if (badge.get().equals("bug")) throw new IllegalStateException("secret");
                        return badge.get().startsWith("valid ")
                                ? new Authentication.Authenticated(new Account(badge.get().substring(6), List.of("user"), new BsonDocument()), Credentials.password("badge"))
                                : Authentication.REJECTED;
                    }
                    public List<String> credentialHeaders() { return List.of("X-Badge"); }
                    public Optional<String> challenge(Request request) { return Optional.of("Badge"); }
                });
            }
            """);
        try (var gateway = plugins.start(mongo, "", """
            - {role: user, predicate: path-prefix('/'), mongo: {readFilter: {dept: 7}}}
            """, "")) {
            var known = client(gateway).with("X-Badge", "valid eve").get(orders);
            assertStatus(200, known);
            assertThat(known.body()).contains("\"a\"").doesNotContain("\"b\"");
            var unknown = client(gateway).with("X-Badge", "stolen").get(orders);
            assertStatus(401, unknown);
            assertThat(unknown.headers().allValues("WWW-Authenticate")).contains("Badge");
            var failed = client(gateway).with("X-Badge", "bug").get(orders);
            assertStatus(503, failed);
            assertThat(failed.body()).doesNotContain("secret", "\"a\"");
            assertStatus(200, client(gateway).as("admin", "secret").get(orders));
        }
    }

    @Test
    void rules_of_its_own() {
        plugins.plugin("rules", """
            public void install(Installation to) {
                to.serve(_ -> Response.status(204), ServicePath.of("/club"));
                to.allow((request, account) -> {
                    if (account == null) return Optional.empty();
                    if (request.query().has("bug")) throw new IllegalStateException();
                    return request.attribute(DataTarget.KEY).isEmpty() && request.path().decoded().equals("/club")
                            ? Optional.of(new Access.Root())
                            : request.attribute(DataTarget.KEY).filter(target -> target.operation() instanceof Operation.Read)
                                    .map(target -> Access.plain().withRows(new BsonDocument("dept", new BsonInt32(7))));
                });
            }
            """);
        try (var gateway = plugins.start(mongo, "")) {
            var ann = client(gateway).as("ann", "secret");
            assertStatus(204, ann.get("/club"));
            assertThat(ann.get(orders).body()).contains("\"a\"").doesNotContain("\"b\"");
            assertStatus(404, ann.get(orders + "/b"));
            assertStatus(403, ann.post(orders, "{}"));
            assertStatus(403, ann.get(orders + "?bug"));
            assertStatus(401, client(gateway).get(orders));
            assertStatus(200, client(gateway).as("admin", "secret").get(orders + "/b"));
        }
    }

    @Test
    void vetoes_by_every_way_in_and_for_everybody() {
        plugins.plugin("sunday", """
            public void install(Installation to) {
                to.veto((request, account) -> {
                    if (request.query().has("np")) throw new IllegalStateException("a bug");
                    return request.attribute(DataTarget.KEY).filter(target -> target.operation() == Operation.Write.DELETE).isPresent();
                });
            }
            """);
        try (var gateway = plugins.start(mongo, "")) {
            var admin = client(gateway).as("admin", "secret");
            assertStatus(403, admin.delete(orders + "/a"));
            assertStatus(
                    403,
                    admin.post("/_transactions", "[{\"method\": \"DELETE\", \"path\": \"%s/a\"}]".formatted(orders)));
            assertStatus(403, admin.get(orders + "?np"));
            assertStatus(200, admin.get(orders + "/a"));
        }
    }

    @Test
    void a_rule_of_a_plugin_names_nothing_in_lists() {
        plugins.plugin("club", """
            public void install(Installation to) {
                to.serve(_ -> Response.status(204), ServicePath.of("/club"));
                to.allow((request, account) -> request.path().decoded().equals("/club") ? Optional.of(new Access.Root()) : Optional.empty());
            }
            """);
        try (var gateway = plugins.start(mongo, "")) {
            var ann = client(gateway).as("ann", "secret");
            assertStatus(204, ann.get("/club"));
            assertThat(ann.get("/_access").body()).contains("ann").doesNotContain(mongo.databaseName());
        }
    }

    @Test
    void a_mechanism_that_fails_takes_no_protection_away() {
        plugins.plugin("field", """
            public void install(Installation to) {
                to.authenticator(new Authenticator() {
                    public Authentication authenticate(Request request) { return Authentication.ABSENT; }
                    public List<String> credentialHeaders() { throw new IllegalStateException("a bug"); }
                });
            }
            """);
        assertThatThrownBy(() -> plugins.start(mongo, "").close())
                .isInstanceOf(StartException.class)
                .hasMessageContainingAll("plugin field", "a bug");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Authorization", "cookie"})
    void a_mechanism_has_no_header_that_browsers_send_for_other_origins(String header) {
        plugins.plugin("field", """
            public void install(Installation to) {
                to.authenticator(new Authenticator() {
                    public Authentication authenticate(Request request) { return Authentication.ABSENT; }
                    public List<String> credentialHeaders() { return List.of("%s"); }
                });
            }
            """.formatted(header));
        assertThatThrownBy(() -> plugins.start(mongo, "").close())
                .isInstanceOf(StartException.class)
                .hasMessageContainingAll("plugin field", "credentialHeaders");
    }

    @Test
    void headers_with_credentials_are_in_no_log_and_go_to_no_target() throws IOException {
        plugins.plugin("badge", """
            public void install(Installation to) {
                to.authenticator(new Authenticator() {
                    public Authentication authenticate(Request request) {
                        return request.headers().first("X-Badge").map(badge -> badge.equals("s3same")
                                ? new Authentication.Authenticated(new Account("eve", List.of("admin"), new BsonDocument()), Credentials.password("badge"))
                                : Authentication.REJECTED).orElse(Authentication.ABSENT);
                    }
                    public List<String> credentialHeaders() { return List.of("X-Badge"); }
                });
            }
            """);
        var target = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        target.createContext("/", exchange -> {
            exchange.sendResponseHeaders(exchange.getRequestHeaders().containsKey("X-Badge") ? 500 : 204, -1);
            exchange.close();
        });
        target.start();
        try (var lines = new LogLines()) {
            try (var gateway =
                    plugins.start(mongo, """
                logging: {requests-log-mode: 2, audit: all, tracing-headers: [X-Badge]}
                proxies: [{location: /far, proxy-pass: 'http://127.0.0.1:%d', forward-headers: ['X-*']}]
                """.formatted(target.getAddress().getPort()))) {
                assertStatus(200, client(gateway).with("x-badge", "s3same").get(orders));
                assertStatus(401, client(gateway).with("X-Badge", "s3same too").get(orders));
                assertStatus(204, client(gateway).with("X-Badge", "s3same").get("/far"));
            }
            assertThat(lines.all())
                    .anyMatch(line -> line.contains("request x-badge: ***"))
                    .noneMatch(line -> line.contains("s3same"));
        } finally {
            target.stop(0);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "to.veto((request, account) -> true);",
                "to.operations(Selector.data(), (request, target) -> Verdict.rows(new BsonDocument()));",
                "to.documents(Selector.data(), (document, request) -> document);"
            })
    void a_gateway_does_not_start_without_a_veto_that_it_should_have(String added) {
        plugins.plugin("broken", """
            public void install(Installation to) {
                %s
                throw new IllegalStateException("half way");
            }
            """.formatted(added));
        assertThatThrownBy(() ->
                        plugins.start(mongo, ", plugins-on-error: skip", "", "").close())
                .isInstanceOf(StartException.class)
                .hasMessageContainingAll("broken", "veto", "half way");
    }

    @Test
    void failed_log_ins_are_seen_and_their_source_is_locked_out() {
        plugins.plugin("lockout", """
            public void install(Installation to) {
                var failed = new java.util.concurrent.atomic.AtomicInteger();
                to.failures(new FailedAttempts() {
                    public void admit(Request request) {
                        if (failed.get() > 1) throw Problem.of(ProblemCode.TOO_MANY_REQUESTS, "locked").raise();
                    }
                    public void end(Request request, boolean rejected) { if (rejected) failed.incrementAndGet(); }
                });
            }
            """);
        try (var gateway = plugins.start(mongo, "")) {
            assertStatus(200, client(gateway).as("admin", "secret").get(orders));
            assertStatus(401, client(gateway).as("admin", "wrong").get(orders));
            assertStatus(401, client(gateway).as("admin", "worse").get(orders));
            var locked = client(gateway).as("admin", "secret").get(orders);
            assertStatus(429, locked);
            assertThat(locked.body()).contains("locked");
        }
    }
}
