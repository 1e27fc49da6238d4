package org.restheart.core.security;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.core.Gateway;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
class TokenTest {
    private static final String KEY = "0123456789abcdef0123456789abcdef";
    private static final String TOKENS = """
            tokenBasicAuthMechanism: {enabled: true}
            jwtConfigProvider: {key: %s}
            jwtAuthenticationMechanism: {enabled: true}
            jwtTokenManager: {enabled: true, ttl: 15, account-properties-claims: [team, /org/unit]}
            authTokenService: {enabled: true, uri: /token, redirect-url: "https://app.example/done"}
            """.formatted(KEY);
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, TOKENS);
        gateway.permit("{_id: 'p', roles: ['editor'], predicate: \"path('/c')\"}");
        gateway.insert("c", "{_id: 'a'}");
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private static BsonDocument json(HttpResponse<String> response) {
        return BsonDocument.parse(response.body());
    }

    private static String token(TestClient client) {
        return json(client.send("POST", "/token", "")).getString("access_token").getValue();
    }

    private static BsonDocument claims(String token) {
        return BsonDocument.parse(
                new String(Base64.getUrlDecoder().decode(token.split("\\.")[1]), StandardCharsets.UTF_8));
    }

    private static TestClient bearer(String token) {
        return gateway.anonymous().with("Authorization", "Bearer " + token);
    }

    private static TestClient form() {
        return gateway.anonymous().with("Content-Type", "application/x-www-form-urlencoded");
    }

    static String signed(String key, JWSAlgorithm algorithm, String claims) throws Exception {
        var jws = new JWSObject(new JWSHeader(algorithm), new Payload(claims));
        jws.sign(new MACSigner(key));
        return jws.serialize();
    }

    private static String encode(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void a_password_buys_a_token_that_opens_what_the_password_opens() {
        gateway.insert(
                "users",
                "{_id: 'tom', password: '" + TestGateway.hash("pw") + "', roles: ['editor'], team: 'red',"
                        + " org: {unit: 7, secret: 1}}");
        var response = gateway.anonymous().as("tom", "pw").send("POST", "/token", "");
        assertThat(response.statusCode()).isEqualTo(200);
        var body = json(response);
        assertThat(body.getString("token_type").getValue()).isEqualTo("Bearer");
        assertThat(body.getString("username").getValue()).isEqualTo("tom");
        assertThat(body.getArray("roles")).containsExactly(new BsonString("editor"));
        assertThat(body.getNumber("expires_in").intValue()).isBetween(800, 900);
        var token = body.getString("access_token").getValue();
        assertThat(response.headers().firstValue("Auth-Token")).contains(token);
        assertThat(response.headers().firstValue("Auth-Token-Location")).contains("/token");
        assertThat(response.headers().firstValue("Auth-Token-Valid-Until").orElse(""))
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        var claims = claims(token);
        assertThat(claims.keySet())
                .containsExactlyInAnyOrder("iss", "sub", "exp", "jti", "roles", "authDb", "team", "org");
        assertThat(claims.getDocument("org")).isEqualTo(BsonDocument.parse("{unit: 7}"));
        assertThat(bearer(token).get("/c").statusCode()).isEqualTo(200);
        assertThat(gateway.anonymous().as("tom", token).get("/c").statusCode()).isEqualTo(200);
        assertThat(gateway.anonymous().as("bob", token).get("/c").statusCode()).isEqualTo(401);
        assertThat(token(gateway.anonymous().as("tom", "pw"))).isEqualTo(token);
        assertThat(token(bearer(token))).isEqualTo(token);
        assertThat(json(gateway.anonymous().as("tom", "pw").get("/token?renew"))
                        .getString("access_token")
                        .getValue())
                .isNotEqualTo(token);
        assertThat(bearer(token).get("/c").statusCode()).isEqualTo(200);
    }

    @Test
    void anonymous_requests_for_tokens_are_challenged_in_their_own_way() {
        var response = gateway.anonymous().send("POST", "/token", "");
        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(response.headers().allValues("WWW-Authenticate")).containsExactly("Basic realm=\"RESTHeart\"");
        assertThat(response.headers().firstValue("Access-Control-Expose-Headers"))
                .contains("Auth-Token, Auth-Token-Valid-Until, Auth-Token-Location");
        assertThat(gateway.anonymous().get("/token?noauthchallenge").headers().firstValue("WWW-Authenticate"))
                .isEmpty();
    }

    @Test
    void T39_requests_without_sense_are_client_errors() {
        assertThat(gateway.anonymous().send("DELETE", "/token", "").statusCode())
                .isEqualTo(401);
        assertThat(gateway.as("ada").get("/token/x").statusCode()).isEqualTo(404);
        assertThat(gateway.as("ada").send("PUT", "/token", "").statusCode()).isEqualTo(405);
        assertThat(gateway.as("ada").get("/token/cookie").statusCode()).isEqualTo(405);
        assertThat(gateway.as("ada").send("POST", "/token/redirect", "").statusCode())
                .isEqualTo(405);
    }

    @Test
    void T20_2_forms_carry_credentials() {
        assertThat(form().send("POST", "/token", "grant_type=password&username=ada&password=ada-pw")
                        .statusCode())
                .isEqualTo(200);
        assertThat(form().send("POST", "/token", "grant_type=client_credentials&client_id=ada&client_secret=ada-pw")
                        .statusCode())
                .isEqualTo(200);
        assertThat(form().send("POST", "/token", "grant_type=password&username=ada&password=x")
                        .statusCode())
                .isEqualTo(401);
        var incomplete = form().send("POST", "/token", "grant_type=password&username=ada");
        assertThat(incomplete.statusCode()).isEqualTo(400);
        assertThat(incomplete.body()).isEmpty();
        assertThat(form().send("POST", "/token", "grant_type=magic").statusCode())
                .isEqualTo(400);
        var cookie = form().send("POST", "/token/cookie", "grant_type=password&username=ada&password=ada-pw");
        assertThat(cookie.statusCode()).isEqualTo(200);
        assertThat(json(cookie).keySet()).containsExactly("authenticated", "username", "roles");
        assertThat(cookie.headers().firstValue("Set-Cookie").orElse(""))
                .matches("rh_auth=Bearer_[^;]+; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=900");
    }

    @Test
    void T20_2_credentials_are_accepted_or_not() {
        var ada = gateway.as("ada");
        assertThat(gateway.anonymous().get("/").headers().firstValue("WWW-Authenticate"))
                .isPresent();
        assertThat(ada.get("/roles/ada").body()).contains("\"roles\"").contains("editor");
        var token = token(ada);
        for (var bad : List.of("bearer " + token, "Bearer " + token + "x", "Foo x", "Basic %%%")) {
            assertThat(gateway.anonymous()
                            .with("Authorization", bad)
                            .get("/roles/ada")
                            .statusCode())
                    .as(bad)
                    .isEqualTo(401);
        }
        assertThat(gateway.anonymous().as("ada", token).get("/roles/ada").statusCode())
                .isEqualTo(200);
        assertThat(gateway.anonymous().as("bob", token).get("/roles/ada").statusCode())
                .isEqualTo(401);
        var cookie = gateway.anonymous().with("Cookie", "x=1; rh_auth=Bearer_" + token);
        assertThat(cookie.get("/roles/ada").statusCode()).isEqualTo(200);
        assertThat(cookie.with("Authorization", "Basic x").get("/roles/ada").statusCode())
                .isEqualTo(401);
    }

    @Test
    void roles_are_visible_to_their_account_only() {
        assertThat(gateway.anonymous().get("/roles/ada").statusCode()).isEqualTo(401);
        for (var path : List.of("/roles/bob", "/roles", "/roles/", "/roles/ada/", "/roles/ada/x")) {
            assertThat(gateway.as("ada").get(path).statusCode()).as(path).isEqualTo(403);
            assertThat(gateway.as("admin").get(path).statusCode()).as(path).isEqualTo(403);
        }
        assertThat(gateway.as("ada").send("DELETE", "/roles/ada", "").statusCode())
                .isEqualTo(405);
        assertThat(gateway.as("ada").send("OPTIONS", "/roles/ada", "").statusCode())
                .isEqualTo(200);
    }

    @Test
    void T13_forged_tokens_are_refused() throws Exception {
        var future = Instant.now().plusSeconds(600).getEpochSecond();
        var claims = "{\"iss\":\"restheart.org\",\"sub\":\"ada\",\"roles\":[\"editor\"],\"exp\":" + future + "}";
        assertThat(bearer(signed(KEY, JWSAlgorithm.HS256, claims)).get("/c").statusCode())
                .isEqualTo(200);
        var forged = Map.of(
                "none", encode("{\"alg\":\"none\"}") + "." + encode(claims) + ".",
                "other algorithm", signed(KEY.repeat(2), JWSAlgorithm.HS512, claims),
                "other key", signed(KEY.repeat(2), JWSAlgorithm.HS256, claims),
                "other issuer", signed(KEY, JWSAlgorithm.HS256, claims.replace("restheart.org", "evil")),
                "expired", signed(KEY, JWSAlgorithm.HS256, claims.replace("" + future, "1")),
                "exp of another type", signed(KEY, JWSAlgorithm.HS256, claims.replace("" + future, "\"never\"")),
                "not yet", signed(KEY, JWSAlgorithm.HS256, claims.replace("{", "{\"nbf\":" + future + ",")),
                "roles as text", signed(KEY, JWSAlgorithm.HS256, claims.replace("[\"editor\"]", "\"editor\"")),
                "no name", signed(KEY, JWSAlgorithm.HS256, claims.replace("\"sub\"", "\"x\"")),
                "too long", signed(KEY, JWSAlgorithm.HS256, claims.replace("ada", "a".repeat(9_000))));
        forged.forEach((what, token) ->
                assertThat(bearer(token).get("/c").statusCode()).as(what).isEqualTo(401));
        var crit = new JWSObject(
                new JWSHeader.Builder(JWSAlgorithm.HS256)
                        .criticalParams(java.util.Set.of("exp2"))
                        .customParam("exp2", 1)
                        .build(),
                new Payload(claims));
        crit.sign(new MACSigner(KEY));
        assertThat(bearer(crit.serialize()).get("/c").statusCode()).isEqualTo(401);
        assertThat(gateway.anonymous()
                        .with("Authorization", "Bearer " + signed(KEY, JWSAlgorithm.HS256, claims))
                        .with("Authorization", "Bearer x")
                        .get("/c")
                        .statusCode())
                .isEqualTo(401);
        assertThat(bearer("a.b.c").get("/c").statusCode()).isEqualTo(401);
        assertThat(bearer(encode("[".repeat(4_000)) + "." + encode("x") + ".y")
                        .get("/c")
                        .statusCode())
                .isEqualTo(401);
    }

    @Test
    void T13_a_key_named_by_the_token_itself_is_not_used() throws Exception {
        var own = new com.nimbusds.jose.jwk.gen.RSAKeyGenerator(2048).generate();
        var claims = "{\"iss\":\"restheart.org\",\"sub\":\"ada\",\"roles\":[\"editor\"]}";
        var jws = new JWSObject(
                new JWSHeader.Builder(JWSAlgorithm.RS256)
                        .jwk(own.toPublicJWK())
                        .keyID("../../dev/null")
                        .build(),
                new Payload(claims));
        jws.sign(new com.nimbusds.jose.crypto.RSASSASigner(own));
        assertThat(bearer(jws.serialize()).get("/c").statusCode()).isEqualTo(401);
    }

    @Test
    void T15_a_token_has_the_current_claims() {
        gateway.insert("users", "{_id: 'eve', password: '" + TestGateway.hash("pw") + "', roles: ['a', 'b']}");
        var eve = gateway.anonymous().as("eve", "pw");
        var before = token(eve);
        gateway.collection("users")
                .updateOne(eq("_id", "eve"), set("roles", new BsonArray(List.of(new BsonString("c")))));
        await().until(() -> !token(eve).equals(before));
        var after = json(eve.send("POST", "/token", ""));
        var claims = claims(after.getString("access_token").getValue());
        assertThat(claims.getArray("roles")).containsExactly(new BsonString("c"));
        assertThat(after.getArray("roles")).isEqualTo(claims.getArray("roles"));
        assertThat(claims.get("jti")).isNotEqualTo(claims(before).get("jti"));
        // T-16: the old token, shown as a password, does not come back.
        assertThat(gateway.anonymous().as("eve", before).get("/token").statusCode())
                .isEqualTo(200);
        assertThat(token(eve)).isEqualTo(after.getString("access_token").getValue());
    }

    @Test
    void T17_a_token_given_back_is_refused() {
        gateway.insert("users", "{_id: 'ann', password: '" + TestGateway.hash("pw") + "', roles: ['editor']}");
        var token = token(gateway.anonymous().as("ann", "pw"));
        assertThat(bearer(token).get("/c").statusCode()).isEqualTo(200);
        var gone = bearer(token).send("DELETE", "/token", "");
        assertThat(gone.statusCode()).isEqualTo(204);
        assertThat(gone.headers().firstValue("Auth-Token")).isEmpty();
        assertThat(bearer(token).get("/c").statusCode()).isEqualTo(401);
        var other = token(gateway.anonymous().as("ann", "pw"));
        assertThat(other).isNotEqualTo(token);
        bearer(other).send("POST", "/logout", "");
        assertThat(bearer(other).get("/c").statusCode()).isEqualTo(401);
    }

    @Test
    void T20_tokens_are_not_read_from_the_query() {
        var token = token(gateway.as("ada"));
        assertThat(gateway.anonymous().get("/c?access_token=" + token).statusCode())
                .isEqualTo(401);
    }

    @Test
    void T22_logout_makes_the_browser_drop_the_cookie() {
        var response = gateway.anonymous().send("POST", "/logout", "");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Set-Cookie"))
                .contains("rh_auth=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0");
        assertThat(gateway.anonymous().get("/logout").statusCode()).isEqualTo(405);
    }

    @Test
    void T23_responses_with_tokens_are_not_stored_and_cookies_are_hidden_from_scripts() {
        var get = gateway.as("ada").get("/token");
        assertThat(get.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(get.headers().firstValue("Auth-Token")).isPresent();
        var cookie = gateway.as("ada").send("POST", "/token/cookie", "");
        assertThat(cookie.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(cookie.headers().firstValue("Auth-Token")).isEmpty();
        assertThat(gateway.as("ada").get("/c").headers().firstValue("Auth-Token"))
                .isEmpty();
    }

    @Test
    void a_redirection_leads_where_the_configuration_says() {
        var response = gateway.as("ada").get("/token/redirect?redirect-url=https://evil.example");
        assertThat(response.statusCode()).isEqualTo(307);
        assertThat(response.headers().firstValue("Location").orElse(""))
                .matches("https://app\\.example/done#access_token=[^&]+&token_type=Bearer&expires_in=\\d+");
    }

    @Test
    void T21_other_sites_cannot_act_with_the_cookie(TestMongo mongo) {
        var lax = TOKENS + "authCookieSetter: {same-site-mode: lax, allowed-origins: [\"https://app.example\"]}\n";
        try (var other = TestGateway.start(mongo, lax)) {
            other.permit("{_id: 'p', roles: ['editor'], predicate: \"path('/c')\"}");
            other.insert("c", "{_id: 'a'}");
            var token = token(other.as("ada"));
            var browser = other.anonymous().with("Cookie", "rh_auth=Bearer_" + token);
            assertThat(browser.get("/c").statusCode()).isEqualTo(200);
            assertThat(browser.with("Origin", "https://evil.example").get("/c").statusCode())
                    .isEqualTo(200);
            assertThat(browser.with("Origin", "https://evil.example")
                            .post("/c", "{}")
                            .statusCode())
                    .isEqualTo(403);
            assertThat(browser.with("Origin", "https://app.example")
                            .post("/c", "{}")
                            .statusCode())
                    .isNotEqualTo(403);
            assertThat(browser.post("/c", "{}").statusCode()).isNotEqualTo(403);
        }
    }

    @Test
    void pages_of_other_sites_cannot_make_a_link_write_with_the_cookie() {
        var admin = gateway.as("admin");
        var pipeline = "{\"aggrs\": [{\"uri\": \"w\", \"type\": \"pipeline\", \"stages\": [{\"$out\": \"copy\"}]}]}";
        assertThat(admin.put("/linked", pipeline).statusCode()).isEqualTo(201);
        assertThat(admin.post("/linked", "{}").statusCode()).isEqualTo(201);
        var browser = gateway.anonymous().with("Cookie", "rh_auth=Bearer_" + token(admin));
        assertThat(browser.with("Sec-Fetch-Site", "cross-site")
                        .get("/linked/_aggrs/w")
                        .statusCode())
                .isEqualTo(403);
        assertThat(browser.with("Origin", "https://evil.example")
                        .get("/linked/_aggrs/w")
                        .statusCode())
                .isEqualTo(403);
        assertThat(browser.get("/linked/_aggrs/w").statusCode()).isEqualTo(403);
        assertThat(gateway.collection("copy").countDocuments()).isZero();
        assertThat(browser.with("Sec-Fetch-Site", "same-origin")
                        .get("/linked/_aggrs/w")
                        .statusCode())
                .isEqualTo(200);
        assertThat(admin.get("/linked/_aggrs/w").statusCode()).isEqualTo(200);
        assertThat(gateway.collection("copy").countDocuments()).isEqualTo(1);
    }

    @Test
    void pages_of_other_sites_cannot_read_with_a_cookie_that_browsers_send_them(TestMongo mongo) {
        var none = TOKENS + "authCookieSetter: {same-site-mode: none, allowed-origins: [\"https://app.example\"]}\n";
        try (var other = TestGateway.start(mongo, none)) {
            other.permit("{_id: 'p', roles: ['editor'], predicate: \"path('/c')\"}");
            other.insert("c", "{_id: 'a'}");
            var browser = other.anonymous().with("Cookie", "rh_auth=Bearer_" + token(other.as("ada")));
            assertThat(browser.with("Origin", "https://evil.example").get("/c").statusCode())
                    .isEqualTo(403);
            var token = browser.with("Origin", "https://evil.example").get("/token");
            assertThat(token.statusCode()).isEqualTo(403);
            assertThat(token.headers().firstValue("Auth-Token")).isEmpty();
            assertThat(browser.with("Origin", "null").get("/token").statusCode())
                    .isEqualTo(403);
            assertThat(browser.with("Origin", "https://app.example").get("/c").statusCode())
                    .isEqualTo(200);
            assertThat(browser.get("/c").statusCode()).isEqualTo(200);
        }
    }

    private static String insertedUser(String name, String role) {
        gateway.insert(
                "users", "{_id: '" + name + "', password: '" + TestGateway.hash("pw") + "', roles: ['" + role + "']}");
        return token(gateway.anonymous().as(name, "pw"));
    }

    private static String renewed(String token) {
        return json(bearer(token).get("/token?renew")).getString("access_token").getValue();
    }

    @Test
    void access_ends_when_the_account_does() {
        var token = insertedUser("gone", "editor");
        var derived = renewed(token);
        assertThat(bearer(derived).get("/c").statusCode()).isEqualTo(200);
        assertThat(gateway.as("admin").send("DELETE", "/users/gone", "").statusCode())
                .isEqualTo(204);
        for (var each : List.of(token, derived)) {
            assertThat(bearer(each).get("/c").statusCode()).isEqualTo(401);
            assertThat(bearer(each).get("/token?renew").statusCode()).isEqualTo(401);
            assertThat(gateway.anonymous().as("gone", each).get("/c").statusCode())
                    .isEqualTo(401);
        }
        // Nor does another account of that name inherit them.
        insertedUser("gone", "editor");
        assertThat(bearer(token).get("/c").statusCode()).isEqualTo(401);
    }

    @Test
    void access_ends_on_every_gateway_and_also_when_the_account_is_changed_behind_their_backs(TestMongo mongo) {
        var token = insertedUser("mary", "editor");
        var more = TestGateway.REALM.replace("$db", gateway.database().getName()) + TOKENS;
        try (var second = Gateway.start(
                TestGateway.config(mongo.connectionString(), gateway.database().getName(), more))) {
            var there = TestClient.of(second.address()).with("Authorization", "Bearer " + token);
            assertThat(there.get("/c").statusCode()).isEqualTo(200);
            gateway.collection("users")
                    .updateOne(eq("_id", "mary"), set("password", new BsonString(TestGateway.hash("other"))));
            await().until(() -> there.get("/c").statusCode() == 401);
            await().until(() -> bearer(token).get("/c").statusCode() == 401);
            assertThat(there.get("/token").statusCode()).isEqualTo(401);
        }
    }

    @Test
    void a_new_password_ends_the_tokens_that_the_old_one_has_bought() {
        var token = insertedUser("paul", "editor");
        assertThat(gateway.as("admin")
                        .patch("/users/paul", "{\"password\": \"new-pw\"}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(bearer(token).get("/c").statusCode()).isEqualTo(401);
        var next = token(gateway.anonymous().as("paul", "new-pw"));
        assertThat(bearer(next).get("/c").statusCode()).isEqualTo(200);
    }

    @Test
    void a_token_given_back_takes_those_with_it_that_were_made_of_it() {
        var first = insertedUser("lisa", "editor");
        var second = renewed(first);
        var third = renewed(second);
        assertThat(bearer(second).send("DELETE", "/token", "").statusCode()).isEqualTo(204);
        for (var each : List.of(first, second, third)) {
            assertThat(bearer(each).get("/c").statusCode()).isEqualTo(401);
        }
        assertThat(bearer(token(gateway.anonymous().as("lisa", "pw"))).get("/c").statusCode())
                .isEqualTo(200);
    }

    @Test
    void a_renewed_token_says_which_roles_the_account_has_now() {
        var token = insertedUser("olga", "editor");
        gateway.collection("users")
                .updateOne(eq("_id", "olga"), set("roles", new BsonArray(List.of(new BsonString("viewer")))));
        await().until(() ->
                claims(renewed(token)).getArray("roles").equals(new BsonArray(List.of(new BsonString("viewer")))));
    }

    @Test
    void a_token_of_another_issuer_buys_no_more_time_than_it_has() throws Exception {
        long end = Instant.now().getEpochSecond() + 30;
        var foreign = signed(
                KEY,
                JWSAlgorithm.HS256,
                "{\"iss\":\"restheart.org\",\"sub\":\"stranger\",\"roles\":[\"editor\"],\"exp\":" + end + "}");
        assertThat(bearer(foreign).get("/c").statusCode()).isEqualTo(200);
        assertThat(claims(renewed(foreign)).getNumber("exp").longValue()).isLessThanOrEqualTo(end);
    }
}
