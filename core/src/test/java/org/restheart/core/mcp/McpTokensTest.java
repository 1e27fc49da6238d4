package org.restheart.core.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Tokens for the endpoint of the Model Context Protocol, and others at it.
@WithMongo
class McpTokensTest {
    private static final String KEY = "a key of more than sixty-four characters, so that it is long enough for HMAC";
    private static final String RESOURCE = "https://db.example/_mcp";
    private static final String REDIRECT = "http://localhost:3000/done";
    private static final String VERIFIER = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    @AutoClose
    private static TestGateway gateway;

    private static String db;

    private static final String PARTS = """
            jwtConfigProvider: {key: "%s", issuer: null, audience: null}
            jwtAuthenticationMechanism: {enabled: true}
            tokenBasicAuthMechanism: {enabled: true}
            jwtTokenManager: {enabled: true}
            oauthAuthorizationServerMetadataService: {enabled: true, base-url: "https://db.example"}
            oauthAuthorizationService:
              {enabled: true, login-url: "https://login.example/in", allowed-redirect-uris: ["http://localhost:*"]}
            mcp: {enabled: true, base-url: "https://db.example", read-only: false, confirm: false%s}
            """;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, PARTS.formatted(KEY, ""));
        db = gateway.database().getName();
        gateway.permit("{_id: 'c', roles: ['editor'], predicate: \"path-prefix('/c')\"}");
        gateway.insert("c", "{_id: 1}");
    }

    private static String token(String claims) {
        var payload = BsonDocument.parse("{sub: 'ada', roles: ['editor'], exp: 4102444800}");
        payload.putAll(BsonDocument.parse(claims));
        var jws = new JWSObject(new JWSHeader(JWSAlgorithm.HS256), new Payload(payload.toJson()));
        try {
            jws.sign(new MACSigner(KEY));
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
        return jws.serialize();
    }

    private static TestClient with(TestGateway at, String token) {
        return at.anonymous().with("Authorization", "Bearer " + token);
    }

    private static HttpResponse<String> find(TestGateway at, String token) {
        return call(at, token, "find", "");
    }

    private static HttpResponse<String> call(TestGateway at, String token, String tool, String more) {
        var arguments = "{\"database\": \"%s\", \"collection\": \"c\"%s}"
                .formatted(at.database().getName(), more);
        return new McpClient(with(at, token)).send("tools/call", McpClient.parameters(tool, arguments, "{}"));
    }

    private static int rest(String token) {
        return with(gateway, token).get("/c").statusCode();
    }

    @Test
    void a_token_is_valid_where_its_audience_says() {
        var plain = token("{}");
        assertStatus(200, find(gateway, plain));
        assertThat(rest(plain)).isEqualTo(200);
        var other = token("{aud: 'https://other.example/api'}");
        assertStatus(401, find(gateway, other));
        assertThat(rest(other)).isEqualTo(200);
        for (var audience : new String[] {
            "'" + RESOURCE + "'", "'HTTPS://DB.example/_mcp'", "['" + RESOURCE + "']", "'" + RESOURCE + "/'"
        }) {
            var own = token("{aud: " + audience + "}");
            assertThat(find(gateway, own).statusCode()).as(audience).isEqualTo(200);
            assertThat(rest(own)).as(audience).isEqualTo(401);
            assertStatus(
                    401,
                    with(gateway, own).with("X-Forwarded-Host", "other.example").get("/c"));
            assertStatus(401, with(gateway, own).get("/token"));
            assertStatus(401, gateway.anonymous().as("ada", own).get("/c"));
        }
        var elsewhere = token("{aud: 'https://elsewhere.example/_mcp'}");
        assertStatus(401, find(gateway, elsewhere));
        assertThat(rest(elsewhere)).isEqualTo(401);
        var both = token("{aud: ['" + RESOURCE + "', 'api']}");
        assertStatus(200, find(gateway, both));
        assertThat(rest(both)).isEqualTo(200);
    }

    @Test
    void a_token_for_this_endpoint_alone_is_good_for_as_long_as_a_call_waits() {
        gateway.as("admin").put("/c", "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}");
        var own = token("{aud: '" + RESOURCE + "'}");
        long begun = System.nanoTime();
        var result = McpClient.json(call(gateway, own, "watch", ", \"stream\": \"all\", \"max-seconds\": 2"));
        assertThat(McpClient.isError(result.getDocument("result"))).isFalse();
        assertThat(System.nanoTime() - begun).isGreaterThan(1_900_000_000L);
    }

    @Test
    void a_strict_server_takes_no_token_without_an_audience(TestMongo mongo) {
        try (var strict = TestGateway.start(mongo, PARTS.formatted(KEY, ", accept-plain-tokens: false"))) {
            strict.permit("{_id: 'c', roles: ['editor'], predicate: \"path-prefix('/c')\"}");
            strict.insert("c", "{_id: 1}");
            assertStatus(401, find(strict, token("{}")));
            assertStatus(200, find(strict, token("{aud: '" + RESOURCE + "'}")));
        }
    }

    /// Whoever has received a token for his own endpoint writes its name into the request.
    @Test
    void without_a_base_url_a_request_does_not_say_what_this_endpoint_is_called(TestMongo mongo) {
        try (var unnamed = TestGateway.start(
                mongo, PARTS.formatted(KEY, "").replace("base-url: \"https://db.example\", read", "read"))) {
            unnamed.permit("{_id: 'c', roles: ['editor'], predicate: \"path-prefix('/c')\"}");
            unnamed.insert("c", "{_id: 1}");
            int port = unnamed.address().getPort();
            for (var name :
                    new String[] {"other.example", "127.0.0.1:1", "127.0.0.2:" + port, "other.example:" + port}) {
                var forged = with(unnamed, token("{aud: 'http://" + name + "/_mcp'}"))
                        .with("X-Forwarded-Proto", "http")
                        .with("X-Forwarded-Host", name);
                assertThat(new McpClient(forged)
                                .send("tools/call", McpClient.parameters("list-databases", "{}", "{}"))
                                .statusCode())
                        .as(name)
                        .isEqualTo(401);
            }
            for (var name : new String[] {"localhost:" + port, "127.0.0.1:" + port}) {
                var own = with(unnamed, token("{aud: 'http://" + name + "/_mcp'}"))
                        .with("X-Forwarded-Proto", "http")
                        .with("X-Forwarded-Host", name);
                assertThat(new McpClient(own)
                                .send("tools/call", McpClient.parameters("list-databases", "{}", "{}"))
                                .statusCode())
                        .as(name)
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void scopes_narrow() {
        var documents = ", \"documents\": [{\"n\": 1}]";
        var none = find(gateway, token("{scope: 'openid'}"));
        assertStatus(403, none);
        assertThat(none.headers().firstValue("WWW-Authenticate"))
                .contains("Bearer error=\"insufficient_scope\", scope=\"mcp:read mcp:write\","
                        + " resource_metadata=\"https://db.example/.well-known/oauth-protected-resource/_mcp\"");
        var reading = token("{scope: 'openid mcp:read'}");
        assertStatus(200, find(gateway, reading));
        assertStatus(403, call(gateway, reading, "insert-many", documents));
        var writing = token("{scope: 'mcp:read mcp:write'}");
        assertStatus(200, call(gateway, writing, "insert-many", documents));
        assertThat(gateway.collection("c").countDocuments()).isEqualTo(2);
    }

    @Test
    void metadata_names_the_resource_its_servers_and_scopes() {
        var described = gateway.anonymous().get("/.well-known/oauth-protected-resource/_mcp");
        assertThat(described.headers().firstValue("Cache-Control")).isEmpty();
        assertThat(McpClient.json(described))
                .isEqualTo(BsonDocument.parse("{resource: 'https://db.example/_mcp', authorization_servers:"
                        + " ['https://db.example'], scopes_supported: ['mcp:read', 'mcp:write'],"
                        + " bearer_methods_supported: ['header'], resource_name: 'RESTHeart'}"));
        assertThat(McpClient.json(gateway.anonymous().get("/.well-known/oauth-authorization-server")))
                .containsKeys("authorization_response_iss_parameter_supported", "scopes_supported");
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String authorized(String more) throws Exception {
        var digest = MessageDigest.getInstance("SHA-256").digest(VERIFIER.getBytes(StandardCharsets.US_ASCII));
        var challenge = Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
        var response = gateway.anonymous()
                .with("Content-Type", "application/x-www-form-urlencoded")
                .send(
                        "POST",
                        "/authorize?response_type=code&client_id=app&code_challenge=" + challenge
                                + "&code_challenge_method=S256&redirect_uri=" + encode(REDIRECT) + more,
                        "username=ada&password=ada-pw");
        return response.headers().firstValue("Location").orElse("");
    }

    private static HttpResponse<String> exchanged(String location, String more) {
        var code = location.replaceAll(".*code=([^&]+).*", "$1");
        return gateway.anonymous()
                .with("Content-Type", "application/x-www-form-urlencoded")
                .send(
                        "POST",
                        "/token",
                        "grant_type=authorization_code&code=" + code + "&code_verifier=" + VERIFIER + more);
    }

    @Test
    void a_client_asks_for_a_token_of_this_endpoint() throws Exception {
        var location = authorized("&resource=" + encode(RESOURCE) + "&scope=" + encode("mcp:read offline_access"));
        assertThat(location).contains("iss=" + encode("https://db.example"));
        var answer = McpClient.json(exchanged(location, "&resource=" + encode(RESOURCE)));
        assertThat(answer.getString("scope").getValue()).isEqualTo("mcp:read");
        var token = answer.getString("access_token").getValue();
        assertStatus(200, find(gateway, token));
        assertThat(rest(token)).isEqualTo(401);
        assertStatus(403, call(gateway, token, "insert-many", ", \"documents\": [{\"n\": 1}]"));
    }

    private static HttpResponse<String> forPassword(TestGateway at, String more) {
        return at.anonymous()
                .with("Content-Type", "application/x-www-form-urlencoded")
                .send("POST", "/token", "grant_type=password&username=ada&password=ada-pw" + more);
    }

    /// Other services ask for no scopes.
    private static String assertReadsHereAlone(TestGateway at, HttpResponse<String> answer) {
        assertStatus(200, answer);
        var issued = McpClient.json(answer);
        assertThat(issued.getString("scope").getValue()).isEqualTo("mcp:read");
        var token = issued.getString("access_token").getValue();
        assertStatus(200, find(at, token));
        assertStatus(401, with(at, token).get("/c"));
        assertStatus(401, with(at, token).post("/c", "{}"));
        assertStatus(401, with(at, token).post("/token?renew", ""));
        assertStatus(401, with(at, token).post("/authorize?redirect_uri=" + encode(REDIRECT), ""));
        assertStatus(401, at.anonymous().as("ada", token).get("/c"));
        return token;
    }

    @Test
    void a_token_with_a_scope_is_for_this_endpoint_alone() throws Exception {
        var token = assertReadsHereAlone(gateway, exchanged(authorized("&scope=" + encode("mcp:read openid")), ""));
        assertStatus(403, call(gateway, token, "insert-many", ", \"documents\": [{\"n\": 1}]"));
        assertReadsHereAlone(gateway, exchanged(authorized("&scope=&scope=mcp%3Aread"), ""));
        assertReadsHereAlone(gateway, forPassword(gateway, "&scope=mcp%3Aread"));
        assertReadsHereAlone(gateway, forPassword(gateway, "&scope=mcp%3Aread&resource=" + encode(RESOURCE)));
        var form = gateway.as("ada").with("Content-Type", "application/x-www-form-urlencoded");
        assertReadsHereAlone(gateway, form.send("POST", "/token", "grant_type=client_credentials&scope=mcp%3Aread"));
        assertReadsHereAlone(gateway, gateway.as("ada").get("/token?scope=mcp%3Aread"));
        var plain = McpClient.json(forPassword(gateway, "&scope=openid"));
        assertThat(plain).doesNotContainKey("scope");
        assertThat(rest(plain.getString("access_token").getValue())).isEqualTo(200);
        var wrong = forPassword(gateway, "&resource=" + encode("https://other.example/_mcp"));
        assertStatus(400, wrong);
        assertThat(wrong.body()).contains("invalid_target");
        assertStatus(400, exchanged(authorized(""), "&scope=mcp%3Aread"));
    }

    /// Every token has the configured audience, which is no other endpoint.
    @Test
    void a_token_with_a_scope_is_for_this_endpoint_alone_also_where_an_audience_is_configured(TestMongo mongo) {
        var parts = PARTS.formatted(KEY, "").replace("audience: null", "audience: shop");
        try (var shop = TestGateway.start(mongo, parts.replace("read-only: false", "read-only: true"))) {
            shop.permit("{_id: 'c', roles: ['editor'], predicate: \"path-prefix('/c')\"}");
            shop.insert("c", "{_id: 1}");
            assertReadsHereAlone(shop, forPassword(shop, "&scope=" + encode("mcp:read mcp:write")));
            var writing = McpClient.json(forPassword(shop, "&scope=mcp%3Awrite"))
                    .getString("access_token")
                    .getValue();
            assertStatus(403, find(shop, writing));
            assertStatus(401, with(shop, writing).get("/c"));
        }
    }

    /// As identity providers that know the endpoint by its address issue them.
    @ParameterizedTest
    @ValueSource(strings = {"", ", accept-plain-tokens: false"})
    void an_audience_that_is_this_endpoint_is_configured(String more, TestMongo mongo) {
        var parts = PARTS.formatted(KEY, more).replace("audience: null", "audience: \"" + RESOURCE + "\"");
        try (var own = TestGateway.start(mongo, parts)) {
            own.permit("{_id: 'c', roles: ['editor'], predicate: \"path-prefix('/c')\"}");
            own.insert("c", "{_id: 1}");
            var here = token("{aud: '" + RESOURCE + "'}");
            assertStatus(200, find(own, here));
            assertStatus(401, with(own, here).get("/c"));
            var both = token("{aud: ['" + RESOURCE + "', 'api']}");
            assertStatus(200, find(own, both));
            assertStatus(200, with(own, both).get("/c"));
        }
    }

    @Test
    void nothing_is_derived_from_a_token_with_a_scope() {
        var foreign = with(gateway, token("{scope: 'openid mcp:read'}"));
        assertStatus(403, foreign.post("/token?renew", ""));
        assertStatus(403, foreign.get("/token"));
        assertStatus(403, foreign.post("/authorize?redirect_uri=" + encode(REDIRECT), ""));
        assertStatus(200, with(gateway, token("{}")).get("/token"));
    }

    @Test
    void a_token_is_made_for_no_other_resource() throws Exception {
        assertThat(authorized("&resource=" + encode("https://other.example/_mcp")))
                .contains("error=invalid_target");
        var wrong =
                exchanged(authorized("&resource=" + encode(RESOURCE)), "&resource=" + encode("https://other.example/"));
        assertStatus(400, wrong);
        assertThat(wrong.body()).contains("invalid_target");
        var plain = McpClient.json(exchanged(authorized(""), ""));
        assertThat(rest(plain.getString("access_token").getValue())).isEqualTo(200);
    }
}
