package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
class GuardsTest {
    private static final String FILES = """
        http-listener: {host: 127.0.0.1, port: 0}
        mclient: {enabled: false}
        mongo: {enabled: false}
        basicAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}
        fileRealmAuthenticator: {enabled: true, users: [{userid: ada, password: pw, roles: [editor]}]}
        fileAclAuthorizer: {enabled: true, permissions: [{role: editor, predicate: "path-prefix('/')"}]}
        """;

    private static Gateway start(String more) {
        return Gateway.start(GatewayConfig.parse(FILES + more));
    }

    @Test
    void a_guessing_source_is_locked_out_before_any_password_is_checked() {
        try (var gateway = start("bruteForceAttackGuard: {enabled: true, max-failed-attempts: 3}\n"
                + "jwtAuthenticationMechanism: {enabled: true}\n")) {
            var client = TestClient.of(gateway.address());
            for (int i = 0; i < 5; i++) {
                assertThat(client.get("/roles/ada").statusCode())
                        .as("no credentials")
                        .isEqualTo(401);
                assertStatus(403, client.as("ada", "pw").get("/roles/bob"));
            }
            assertStatus(401, client.as("ada", "x").get("/roles/ada"));
            assertStatus(200, client.with("Authorization", "Bearer x").get("/ping"));
            assertStatus(
                    401,
                    client.with("Content-Type", "application/x-www-form-urlencoded")
                            .send("POST", "/token", "grant_type=password&username=ada&password=y"));
            var locked = client.as("ada", "pw").get("/roles/ada");
            assertStatus(429, locked);
            assertThat(locked.body()).contains("Too many failed authentication attempts. Please try again later.");
            assertThat(locked.headers().firstValue("Retry-After")).isPresent();
            assertStatus(429, client.as("ada", "pw").get("/ping"));
            assertStatus(429, client.get("/roles/ada"));
            assertStatus(200, client.send("OPTIONS", "/ping", ""));
        }
    }

    /// A balancer has the address of all clients behind it.
    @Test
    void whoever_guesses_takes_no_gateway_from_a_balancer() {
        try (var gateway = start("bruteForceAttackGuard: {enabled: true, max-failed-attempts: 3}\n")) {
            var client = TestClient.of(gateway.address());
            for (int i = 0; i < 3; i++) {
                assertStatus(401, client.as("ada", "guess" + i).get("/roles/ada"));
            }
            assertStatus(429, client.as("ada", "pw").get("/roles/ada"));
            for (var probe : List.of("/health/live", "/health/ready", "/ping")) {
                assertStatus(200, client.get(probe));
            }
        }
    }

    /// Whatever else the request contains that is accepted.
    @ParameterizedTest
    @CsvSource({"token", "key", "identity"})
    void a_wrong_password_or_key_beside_accepted_credentials_counts(String beside, TestMongo mongo) {
        try (var lines = new LogLines();
                var gateway = TestGateway.start(
                        mongo,
                        "bruteForceAttackGuard: {enabled: true, max-failed-attempts: 3}\n"
                                + "failedAuthLogger: {enabled: true}\n"
                                + "jwtConfigProvider: {key: '" + TokenFixture.KEY + "'}\n"
                                + "jwtAuthenticationMechanism: {enabled: true}\n"
                                + "jwtTokenManager: {enabled: true}\n"
                                + "apiKeyAuthMechanism: {enabled: true}\n"
                                + "apiKeyRealm: {keys-db: $db, keys-collection: apikeys}\n"
                                + "identityAuthMechanism: {enabled: " + beside.equals("identity")
                                + ", username: guest, roles: [guest]}\n")) {
            var token = BsonDocument.parse(gateway.as("ada").post("/token", "").body())
                    .getString("access_token")
                    .getValue();
            for (int i = 0; i < 3; i++) {
                var guess = TestClient.basic("admin", "guess" + i);
                var answer = switch (beside) {
                    case "token" ->
                        gateway.anonymous()
                                .with("Authorization", "Bearer " + token)
                                .with("Authorization", guess)
                                .get("/_apikeys");
                    case "key" ->
                        gateway.as("ada").with("api-key", "rhk_guess" + i).get("/_apikeys");
                    default -> gateway.anonymous().with("Authorization", guess).get("/_apikeys");
                };
                assertThat(answer.statusCode()).isEqualTo(beside.equals("identity") ? 403 : 401);
            }
            assertThat(lines.all().stream().filter(line -> line.contains("failed authentication")))
                    .hasSize(3);
            assertStatus(429, gateway.as("ada").get("/_apikeys"));
        }
    }

    @Test
    void concurrent_guesses_count_before_their_result_is_known() throws InterruptedException {
        try (var gateway = start("bruteForceAttackGuard: {enabled: true, max-failed-attempts: 3}\n")) {
            var client = TestClient.of(gateway.address());
            var statuses = together(60, i -> client.as("ada", "guess" + i).get("/roles/ada"));
            assertThat(statuses).containsOnly(401, 429);
            assertThat(statuses.stream().filter(status -> status == 401)).hasSizeLessThanOrEqualTo(3);
        }
    }

    @Test
    void concurrent_right_passwords_are_no_failures() throws InterruptedException {
        try (var gateway = start("bruteForceAttackGuard: {enabled: true, max-failed-attempts: 1}\n")) {
            var client = TestClient.of(gateway.address());
            assertThat(together(40, _ -> client.as("ada", "pw").get("/roles/ada")))
                    .containsOnly(200);
        }
    }

    private static List<Integer> together(int count, IntFunction<HttpResponse<String>> request)
            throws InterruptedException {
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            return callers
                    .invokeAll(IntStream.range(0, count)
                            .<Callable<Integer>>mapToObj(
                                    i -> () -> request.apply(i).statusCode())
                            .toList())
                    .stream()
                    .map(Future::resultNow)
                    .toList();
        }
    }

    @Test
    void wrong_passwords_count_where_only_tokens_are_taken() {
        var onlyTokens = FILES.replaceFirst("basicAuthMechanism:.*\n", "tokenBasicAuthMechanism: {enabled: true}\n");
        try (var gateway = Gateway.start(GatewayConfig.parse(onlyTokens
                + "rndTokenManager: {enabled: true, ttl: 15, srv-uri: /tokens}\n"
                + "bruteForceAttackGuard: {enabled: true, max-failed-attempts: 2}\n"))) {
            var client = TestClient.of(gateway.address());
            assertStatus(401, client.as("ada", "pw").get("/roles/ada"));
            assertStatus(401, client.as("ada", "t".repeat(60)).get("/roles/ada"));
            assertStatus(429, client.get("/roles/ada"));
        }
    }

    @Test
    void behind_a_proxy_the_source_is_the_forwarded_one() {
        try (var gateway = start(
                "bruteForceAttackGuard: {enabled: true, max-failed-attempts: 1," + " trust-x-forwarded-for: true}\n")) {
            var client = TestClient.of(gateway.address());
            var bad = client.with("X-Forwarded-For", "1.1.1.1, 2.2.2.2");
            assertStatus(401, bad.as("ada", "x").get("/roles/ada"));
            assertStatus(429, bad.as("ada", "pw").get("/roles/ada"));
            assertStatus(
                    200,
                    client.with("X-Forwarded-For", "2.2.2.2, 1.1.1.1")
                            .as("ada", "pw")
                            .get("/roles/ada"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "2001:db8:1:2::1, 2001:db8:1:2:ffff::7, 2001:db8:1:3::1", // the addresses of a network
        "2001:DB8:0001:2::1, [2001:db8:1:2::1]:4711, ::1",
        "192.0.2.1:1000, 192.0.2.1:1001, 192.0.2.2:1000", // the connections of a client
        "::ffff:192.0.2.1, 192.0.2.1, ::ffff:192.0.2.2",
        "unknown, unknown, _hidden"
    })
    void forwarded_addresses_of_one_client_are_one_source(String one, String same, String other) {
        try (var gateway = start(
                "bruteForceAttackGuard: {enabled: true, max-failed-attempts: 1, trust-x-forwarded-for: true}\n")) {
            var client = TestClient.of(gateway.address());
            client.with("X-Forwarded-For", one).as("ada", "x").get("/roles/ada");
            assertStatus(
                    429, client.with("X-Forwarded-For", same).as("ada", "pw").get("/roles/ada"));
            assertStatus(
                    200, client.with("X-Forwarded-For", other).as("ada", "pw").get("/roles/ada"));
        }
    }

    /// A phone that has a wrong password has neighbors, and somebody who guesses has a whole site.
    @Test
    void a_site_is_locked_out_after_sixteen_times_as_many_failures_as_a_network() {
        try (var gateway = start(
                "bruteForceAttackGuard: {enabled: true, max-failed-attempts: 1, trust-x-forwarded-for: true}\n")) {
            var client = TestClient.of(gateway.address());
            for (int network = 0; network < 16; network++) {
                var from = client.with("X-Forwarded-For", "2001:db8:1:1%02x::1".formatted(network));
                assertStatus(200, from.as("ada", "pw").get("/roles/ada"));
                assertStatus(401, from.as("ada", "x").get("/roles/ada"));
            }
            assertStatus(
                    429,
                    client.with("X-Forwarded-For", "2001:db8:1:1ff::1")
                            .as("ada", "pw")
                            .get("/roles/ada"));
            assertStatus(
                    200,
                    client.with("X-Forwarded-For", "2001:db8:1:2ff::1")
                            .as("ada", "pw")
                            .get("/roles/ada"));
        }
    }

    @Test
    void pages_of_other_origins_are_refused() {
        try (var gateway = start("""
            originVetoer:
              enabled: true
              whitelist: ["https://app.example/"]
              whitelist-patterns: ["https://*.trusted.example", "http://localhost:*"]
              ignore-paths: [/ping]
            """)) {
            var ada = TestClient.of(gateway.address()).as("ada", "pw");
            for (var good : List.of("https://APP.example", "https://a.trusted.example", "http://localhost:3000")) {
                assertThat(ada.with("Origin", good).get("/roles/ada").statusCode())
                        .as(good)
                        .isEqualTo(200);
            }
            for (var evil : List.of(
                    "https://app.example.evil",
                    "http://localhost:1@evil.example",
                    "http://localhost:80.evil.example",
                    "https://aXtrusted.example",
                    "https://evil/.trusted.example",
                    "null")) {
                assertThat(ada.with("Origin", evil).get("/roles/ada").statusCode())
                        .as(evil)
                        .isEqualTo(403);
            }
            assertStatus(200, ada.get("/roles/ada"));
            assertStatus(200, ada.with("Origin", "https://evil").get("/ping"));
            assertStatus(403, ada.with("Origin", "https://evil").post("/token", ""));
        }
    }

    private static String md5(String text) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(text.getBytes()));
    }

    @Test
    void digest_authentication_works_with_passwords_in_clear() throws Exception {
        try (var gateway = start("digestAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}\n")) {
            var client = TestClient.of(gateway.address());
            var challenges = client.get("/roles/ada").headers().allValues("WWW-Authenticate");
            assertThat(challenges).hasSize(2);
            var challenge = challenges.getLast();
            assertThat(challenge).startsWith("Digest realm=\"RESTHeart Realm\",domain=\"localhost\",nonce=\"");
            var nonce = challenge.replaceAll(".*nonce=\"([^\"]+)\".*", "$1");
            var response =
                    md5(md5("ada:RESTHeart Realm:pw") + ":" + nonce + ":00000001:c:auth:" + md5("GET:/roles/ada"));
            var field = "Digest username=\"ada\", realm=\"RESTHeart Realm\", nonce=\"" + nonce
                    + "\", uri=\"/roles/ada\", qop=auth, nc=00000001, cnonce=\"c\", response=\"" + response + "\"";
            var accepted = client.with("Authorization", field).get("/roles/ada");
            assertStatus(200, accepted);
            assertThat(accepted.headers().firstValue("Authentication-Info").orElse(""))
                    .contains("nextnonce=");
            var replayed = client.with("Authorization", field).get("/roles/ada");
            assertStatus(401, replayed);
            assertThat(replayed.headers().allValues("WWW-Authenticate").getLast())
                    .contains("stale=true");
            var wrong = client.with("Authorization", field.replace(response, md5("x")))
                    .get("/roles/ada");
            assertThat(wrong.headers().allValues("WWW-Authenticate").getLast()).doesNotContain("stale=true");
            assertStatus(401, client.with("Authorization", field).get("/roles/bob"));
        }
    }

    @Test
    void without_mechanisms_that_send_challenges_the_status_is_still_401() {
        try (var gateway = Gateway.start(
                GatewayConfig.parse(FILES.replace("enabled: true, authenticator", "enabled: false, authenticator")
                        + "jwtAuthenticationMechanism: {enabled: true}\n"))) {
            var response = TestClient.of(gateway.address()).get("/roles/ada");
            assertStatus(401, response);
            assertThat(response.headers().firstValue("WWW-Authenticate")).isEmpty();
        }
    }

    @Test
    void random_tokens_stand_in_for_the_password_until_they_are_given_back() {
        try (var gateway = start("rndTokenManager: {enabled: true, ttl: 15, srv-uri: /tokens}\n"
                + "tokenBasicAuthMechanism: {enabled: true}\n")) {
            var client = TestClient.of(gateway.address());
            var issued = client.as("ada", "pw").get("/token");
            assertThat(issued.body()).contains("Basic-Password");
            assertThat(issued.headers().firstValue("Auth-Token-Location")).contains("/tokens/ada");
            var token = issued.headers().firstValue("Auth-Token").orElseThrow();
            assertStatus(200, client.as("ada", token).get("/roles/ada"));
            assertStatus(401, client.as("bob", token).get("/roles/ada"));
            assertStatus(204, client.as("ada", token).send("DELETE", "/token", ""));
            assertStatus(401, client.as("ada", token).get("/roles/ada"));
        }
    }

    @Test
    void without_a_token_manager_there_is_no_token() {
        try (var gateway = start("")) {
            assertStatus(501, TestClient.of(gateway.address()).as("ada", "pw").get("/token"));
        }
    }

    @Test
    void only_listed_origins_are_allowed_to_read() {
        try (var gateway = start("cors: {allowed-origins: [\"https://app.example\"]}\n")) {
            var client = TestClient.of(gateway.address());
            var allowed =
                    client.with("Origin", "https://app.example").get("/ping").headers();
            assertThat(allowed.firstValue("Access-Control-Allow-Origin")).contains("https://app.example");
            assertThat(allowed.allValues("Vary")).contains("Origin");
            // a cache must not give it to pages of other origins, or to the listed one
            assertThat(client.get("/ping").headers().allValues("Vary")).contains("Origin");
            var other = client.with("Origin", "https://evil.example")
                    .get("/roles/ada")
                    .headers();
            assertThat(other.firstValue("Access-Control-Allow-Origin")).isEmpty();
            assertThat(other.firstValue("Access-Control-Allow-Credentials")).isEmpty();
        }
        try (var gateway = start("")) {
            var client = TestClient.of(gateway.address());
            assertThat(client.get("/ping").headers().firstValue("Access-Control-Allow-Origin"))
                    .contains("*");
            for (var origin : List.of("https://any", "http://localhost:3000")) {
                var headers = client.with("Origin", origin).get("/ping").headers();
                assertThat(headers.firstValue("Access-Control-Allow-Origin")).contains("*");
                assertThat(headers.firstValue("Access-Control-Allow-Credentials"))
                        .isEmpty();
            }
        }
        try (var gateway = start("cors: {echo-origin: true}\n")) {
            var headers = TestClient.of(gateway.address())
                    .with("Origin", "https://any")
                    .get("/ping")
                    .headers();
            assertThat(headers.firstValue("Access-Control-Allow-Origin")).contains("https://any");
            assertThat(headers.firstValue("Access-Control-Allow-Credentials")).contains("true");
        }
    }

    @Test
    void an_origin_is_listed_with_or_without_the_port_that_browsers_leave_out() {
        try (var gateway = start("cors: {allowed-origins: [\"https://A.example:443/\", \"http://localhost:*\","
                + " \"https://b.example:8443\"]}\n")) {
            var client = TestClient.of(gateway.address());
            for (var origin : List.of(
                    "https://a.example", "http://localhost", "http://localhost:3000", "https://b.example:8443")) {
                assertThat(client.with("Origin", origin)
                                .get("/ping")
                                .headers()
                                .firstValue("Access-Control-Allow-Origin"))
                        .contains(origin);
            }
            for (var origin :
                    List.of("http://a.example", "https://a.example:80", "https://b.example", "https://localhost")) {
                assertThat(client.with("Origin", origin)
                                .get("/ping")
                                .headers()
                                .firstValue("Access-Control-Allow-Origin"))
                        .as(origin)
                        .isEmpty();
            }
        }
    }

    @Test
    void with_problem_details_all_errors_are_those_of_rfc_9457() {
        try (var gateway = start("core: {problem-details: true}\n")) {
            var ada = TestClient.of(gateway.address()).as("ada", "pw");
            for (var target : List.of("/roles/bob", "/roles/ada/x")) {
                for (var client : List.of(ada, ada.with("Accept", "application/json"))) {
                    var refused = client.get(target);
                    assertThat(refused.statusCode()).as(target).isGreaterThanOrEqualTo(400);
                    assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
                    assertThat(refused.body())
                            .contains("\"type\": \"about:blank\"", "\"code\": ")
                            .doesNotContain("Exception");
                }
            }
        }
    }

    @Test
    void preflights_admit_headers_for_tracing_and_caching_and_those_configured() {
        try (var gateway = start("cors: {allowed-headers: [X-Tenant], max-age: 5}\n")) {
            var client = TestClient.of(gateway.address()).with("Origin", "https://any");
            assertThat(client.send("OPTIONS", "/roles/ada", "").headers().firstValue("Access-Control-Max-Age"))
                    .contains("5");
            var named = "Authorization, Content-Type, X-Requested-With, No-Auth-Challenge";
            assertThat(client.with(
                                    "Access-Control-Request-Headers",
                                    "traceparent, x-request-id,cache-control, x-tenant, x-other")
                            .send("OPTIONS", "/roles/ada", "")
                            .headers()
                            .firstValue("Access-Control-Allow-Headers"))
                    .contains(named
                            + ", If-Match, If-None-Match, Last-Event-ID, Prefer, Range, Idempotency-Key,"
                            + " traceparent, X-Request-Id, Cache-Control, X-Tenant");
            assertThat(client.send("OPTIONS", "/roles/ada", "").headers().firstValue("Access-Control-Allow-Headers"))
                    .contains(named);
        }
    }
}
