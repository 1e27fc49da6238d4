package org.restheart.core.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.security.LogLines;
import org.restheart.core.server.StartException;
import org.restheart.testkit.EventStreamClient;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Who asks, and whether they may, by plugins.
@WithMongo
class PluginSecurityTest {
    private static final String KEY = "a key that is long enough for all of this";

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

    /// Two tenants have an account of one name, with passwords and properties of their own.
    @Test
    void accounts_by_host_are_never_mixed() {
        for (var tenant : List.of("one", "two")) {
            var users = mongo.database().getCollection("users_" + tenant);
            users.drop();
            users.insertOne(new Document("_id", "eve")
                    .append("password", tenant + "-pw")
                    .append("dept", tenant.equals("one") ? 7 : 8));
        }
        plugins.plugin("tenants", """
            public void install(Installation to) {
                var db = to.mongo().orElseThrow().getDatabase("%s");
                to.authenticator(new Authenticator() {
                    public Authentication authenticate(Request request) {
                        var sent = AuthorizationHeader.of(request.headers()).flatMap(field -> field.basicCredentials());
                        if (sent.isEmpty()) return Authentication.ABSENT;
                        var tenant = request.connection().host().replace(".example", "");
                        var found = db.getCollection("users_" + tenant).find(new org.bson.Document("_id", sent.get().name())
                                .append("password", sent.get().password())).first();
                        return found == null ? Authentication.REJECTED : new Authentication.Authenticated(
                                new Account("eve", List.of("user"), new BsonDocument("dept", new BsonInt32(found.getInteger("dept")))),
                                Credentials.password("tenant " + tenant));
                    }
                });
            }
            """.formatted(mongo.databaseName()));
        try (var gateway = plugins.start(mongo, "", """
            - {role: user, predicate: path-prefix('/'), mongo: {readFilter: {dept: '@user.dept'}}}
            """, "bruteForceAttackGuard: {enabled: false}")) {
            var answers = IntStream.range(0, 60)
                    .mapToObj(i -> client(gateway)
                            .as("eve", (i % 3 == 0 ? "one" : "two") + "-pw")
                            .with("Host", (i % 2 == 0 ? "one" : "two") + ".example")
                            .sendAsync("GET", orders, ""))
                    .toList();
            for (int i = 0; i < answers.size(); i++) {
                var answer = answers.get(i).join();
                boolean isOfOne = i % 2 == 0;
                boolean isKnown = i % 3 == 0 == isOfOne;
                assertStatus(isKnown ? 200 : 401, answer);
                assertThat(answer.body().contains("\"a\"")).isEqualTo(isKnown && isOfOne);
                assertThat(answer.body().contains("\"b\"")).isEqualTo(isKnown && !isOfOne);
            }
        }
    }

    /// A plugin whose tokens are not the gateway's.
    private void minting(String name) {
        plugins.plugin(name, """
            public void install(Installation to) {
                var verified = new java.util.concurrent.atomic.AtomicInteger();
                to.tokens(new TokenManager() {
                    final Map<String, Account> known = new ConcurrentHashMap<>();
                    public Issued issue(Request request, Account account, Credentials credentials, boolean renew, BsonDocument limits) {
                        if (request.query().has("bug")) throw new IllegalStateException("secret");
                        var token = "mint-" + UUID.randomUUID() + UUID.randomUUID();
                        known.put(token, account);
                        return new Issued(token, account, Instant.now().plusSeconds(60));
                    }
                    public Optional<Authentication> verify(Request request, String name, String token) {
                        verified.incrementAndGet();
                        if (token.startsWith("mint-bug")) throw new IllegalStateException("secret");
                        return Optional.ofNullable(known.get(token)).filter(account -> account.name().equals(name))
                                .map(account -> new Authentication.Authenticated(account, request.query().has("password")
                                        ? Credentials.password("mint")
                                        : new Credentials("mint", Optional.of(
                                                new Credentials.Token(token, Optional.empty(), Optional.empty(), Optional.empty())))));
                    }
                    public void invalidate(Request request, Account account, Credentials credentials) {
                        credentials.token().ifPresent(token -> known.remove(token.text()));
                    }
                    public String type() { return "Mint"; }
                    public String location(Account account) { return "/token/" + account.name(); }
                });
                to.serve(_ -> Response.json(200, "" + verified), ServicePath.of("/verified").open());
            }
            """);
    }

    private Gateway startMinting() {
        minting("mint");
        return plugins.start(mongo, "", "- {role: user, predicate: path-prefix('/')}", """
            authTokenService: {enabled: true, uri: /token, secured: false}
            tokenBasicAuthMechanism: {enabled: true}
            jwtTokenManager: {enabled: true}
            jwtAuthenticationMechanism: {enabled: true}
            jwtConfigProvider: {key: %s}
            """.formatted(KEY));
    }

    @Test
    void tokens_of_its_own_in_place_of_the_gateways() {
        try (var lines = new LogLines();
                var gateway = startMinting()) {
            assertThat(lines.all())
                    .anyMatch(line -> line.startsWith("WARN") && line.contains("a plugin makes the tokens"));
            var ann = client(gateway).as("ann", "secret");
            var issued = Document.parse(ann.post("/token", "").body());
            assertThat(issued).containsEntry("token_type", "Mint").containsEntry("username", "ann");
            var token = issued.getString("access_token");
            assertThat(token).startsWith("mint-");
            var known = client(gateway).as("ann", token);
            assertThat(known.get(orders).body()).contains("\"a\"");
            assertStatus(401, client(gateway).as("admin", token).get(orders));
            assertStatus(
                    401,
                    client(gateway).with("Authorization", "Bearer " + token).get(orders));
            var failed = client(gateway).as("ann", "mint-bug" + token).get(orders);
            assertStatus(503, failed);
            assertThat(failed.body()).doesNotContain("secret");
            var unissued = ann.post("/token?bug", "");
            assertStatus(500, unissued);
            assertThat(unissued.body()).doesNotContain("secret");
            assertThat(Document.parse(
                            client(gateway).get("/_console/config.json").body()))
                    .containsEntry("token", null);
            // As a password they would begin sessions, and no log-out would end them.
            assertStatus(503, known.get(orders + "?password"));
            assertStatus(204, known.delete("/token"));
            assertStatus(401, known.get(orders));
        }
    }

    @Test
    void streams_end_with_the_log_out_of_a_token_of_a_plugin() throws IOException {
        try (var gateway = startMinting()) {
            assertStatus(
                    200,
                    client(gateway)
                            .as("admin", "secret")
                            .put(orders, "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}"));
            var token = Document.parse(client(gateway)
                            .as("ann", "secret")
                            .post("/token", "")
                            .body())
                    .getString("access_token");
            var basic = "Authorization: Basic "
                    + Base64.getEncoder().encodeToString(("ann:" + token).getBytes(StandardCharsets.UTF_8));
            try (var stream = new EventStreamClient(
                    gateway.address().getPort(), "GET " + orders + "/_streams/all", List.of(basic), "") {}) {
                assertThat(stream.status()).contains("200");
                // those that have just begun are verified once more
                await().until(() -> client(gateway).get("/verified").body().equals("2"));
                assertStatus(204, client(gateway).as("ann", token).delete("/token"));
                assertThatThrownBy(stream::next).hasMessageContaining("has ended");
            }
        }
    }

    /// Of OAuth, of sessions, and of the time before the plugin.
    @Test
    void bearers_of_tokens_of_the_gateway_log_out_also_where_a_plugin_makes_others() throws JOSEException {
        var token = new JWSObject(
                new JWSHeader(JWSAlgorithm.HS256),
                new Payload("{\"iss\": \"restheart.org\", \"sub\": \"ann\", \"roles\": [\"user\"], \"jti\": \""
                        + UUID.randomUUID() + "\"}"));
        token.sign(new MACSigner(KEY));
        try (var gateway = startMinting()) {
            var bearer = client(gateway).with("Authorization", "Bearer " + token.serialize());
            assertStatus(200, bearer.get(orders));
            assertStatus(204, bearer.delete("/token"));
            assertStatus(401, bearer.get(orders));
        }
    }

    @Test
    void one_plugin_alone_makes_tokens() {
        minting("mint");
        minting("press");
        assertThatThrownBy(() -> plugins.start(mongo, "").close())
                .isInstanceOf(StartException.class)
                .hasMessageContainingAll("plugin press", "mint", "TokenManager");
    }

    /// Guards are behind plugins: those of accounts check and hash what plugins write, too.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "new Verdict.Rewrite(account)",
                "Verdict.merge(account)",
            })
    void what_a_plugin_writes_into_accounts_is_guarded(String verdict) {
        plugins.plugin("signup", """
            public void install(Installation to) {
                to.operations(Selector.data().collections("%s/users").methods(Method.POST), (request, target) -> {
                    var account = BsonDocument.parse(
                            "{_id: 'new', password: 'plain text', roles: ['" + request.headers().first("X-Role").orElseThrow() + "']}");
                    return %s;
                });
            }
            """.formatted(mongo.databaseName(), verdict));
        mongo.database().getCollection("users").drop();
        mongo.database().createCollection("users");
        var config = """
            core: {plugins-directory: '%1$s'}
            http-listener: {host: 127.0.0.1, port: 0}
            mclient: {connection-string: '%2$s'}
            mongo: {mongo-mounts: [{what: '*', where: /}]}
            mongoRealmAuthenticator: {enabled: true, users-db: %3$s, users-collection: users, create-user: false, bcrypt-complexity: 4}
            mongoAclAuthorizer: {enabled: true, acl-db: %3$s, acl-collection: acl, root-role: admin}
            basicAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}
            fileRealmAuthenticator: {enabled: true, users: [{userid: admin, password: secret, roles: [admin]}]}
            """.formatted(plugins.path(), mongo.connectionString(), mongo.databaseName());
        try (var gateway = Gateway.start(GatewayConfig.parse(config))) {
            var admin = client(gateway).as("admin", "secret");
            var users = "/" + mongo.databaseName() + "/users";
            assertStatus(403, admin.with("X-Role", "admin").post(users, "{}"));
            assertStatus(201, admin.with("X-Role", "reader").post(users, "{}"));
        }
        assertThat(mongo.database().getCollection("users").find())
                .singleElement()
                .satisfies(stored -> assertThat(stored.getString("password")).startsWith("$2"));
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
