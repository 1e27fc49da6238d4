package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Responses.json;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
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
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;

/// Tokens: how they are issued, and which are accepted.
class TokenTest extends TokenFixture {
    private static TestClient form() {
        return gateway.anonymous().with("Content-Type", "application/x-www-form-urlencoded");
    }

    private static String encode(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void without_a_token_manager_there_are_no_tokens(TestMongo mongo) {
        try (var other = TestGateway.start(
                mongo, TOKENS.replace("jwtTokenManager: {enabled: true", "jwtTokenManager: {enabled: false"))) {
            other.insertUsers("{_id: 'eli', roles: []}");
            var refused = other.user("eli").send("POST", "/token", "");
            assertStatus(501, refused);
            assertThat(refused.body()).contains("jwtTokenManager");
        }
    }

    /// Also the properties that are no claims, nor parts of claims.
    @Test
    void rules_about_properties_hold_for_tokens() {
        gateway.permit(
                "member",
                "path-prefix('/m') and not equals(@user.suspended, 'true') and not equals(@user.org.country, 'xx')",
                "{mergeRequest: {owner: '@user._id', team: '@user.team', by: '@user'}}");
        gateway.database().createCollection("m");
        gateway.insertUsers(
                "{_id: 'good', org: {unit: 7, country: 'de'}, roles: ['member'], team: 'red'}",
                "{_id: 'barred', org: {unit: 7, country: 'xx'}, roles: ['member'], team: 'red'}",
                "{_id: 'suspended', suspended: true, roles: ['member'], team: 'red'}");
        for (var name : List.of("barred", "suspended")) {
            var token = token(gateway.user(name));
            for (var client : List.of(
                    gateway.user(name), bearer(token), gateway.anonymous().as(name, token))) {
                assertStatus(403, client.post("/m", "{}"));
            }
        }
        var token = token(gateway.user("good"));
        assertStatus(201, bearer(token).post("/m", "{}"));
        var stored = gateway.collection("m").find().first();
        assertThat(stored.getString("owner").getValue()).isEqualTo("good");
        assertThat(stored.getString("team").getValue()).isEqualTo("red");
        assertThat(stored.getDocument("by").keySet()).contains("jti", "org").doesNotContain("_id", "exp", "sub");
        assertThat(stored.getDocument("by").getDocument("org")).isEqualTo(BsonDocument.parse("{unit: 7}"));
        gateway.collection("users").updateOne(Filters.eq("_id", "good"), Updates.set("suspended", BsonBoolean.TRUE));
        await().untilAsserted(() -> assertStatus(403, bearer(token).post("/m", "{}")));
    }

    @Test
    void a_token_issued_for_a_password_permits_what_the_password_permits() {
        gateway.insertUsers("{_id: 'tom', roles: ['editor'], team: 'red'," + " org: {unit: 7, secret: 1}}");
        var response = gateway.anonymous().as("tom", "pw").send("POST", "/token", "");
        assertStatus(200, response);
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
        assertStatus(200, bearer(token).get("/c"));
        assertStatus(200, gateway.anonymous().as("tom", token).get("/c"));
        assertStatus(401, gateway.anonymous().as("bob", token).get("/c"));
        assertThat(token(gateway.anonymous().as("tom", "pw"))).isEqualTo(token);
        assertThat(token(bearer(token))).isEqualTo(token);
        assertThat(json(gateway.anonymous().as("tom", "pw").get("/token?renew"))
                        .getString("access_token")
                        .getValue())
                .isNotEqualTo(token);
        assertStatus(200, bearer(token).get("/c"));
    }

    @Test
    void anonymous_requests_for_tokens_are_challenged_in_their_own_way() {
        var response = gateway.anonymous().send("POST", "/token", "");
        assertStatus(401, response);
        assertThat(response.headers().allValues("WWW-Authenticate")).containsExactly("Basic realm=\"RESTHeart\"");
        assertThat(response.headers().firstValue("Access-Control-Expose-Headers"))
                .contains("Auth-Token, Auth-Token-Valid-Until, Auth-Token-Location");
        assertThat(gateway.anonymous().get("/token?noauthchallenge").headers().firstValue("WWW-Authenticate"))
                .isEmpty();
    }

    @Test
    void a_line_of_an_unknown_scheme_hides_no_token() {
        var token = token(gateway.as("ada"));
        var negotiating = gateway.anonymous().with("Authorization", "Negotiate abc");
        assertStatus(401, negotiating.get("/c"));
        assertStatus(200, negotiating.with("Authorization", "Bearer " + token).get("/c"));
        assertStatus(401, negotiating.with("Authorization", "Bearer x" + token).get("/c"));
    }

    @Test
    void malformed_requests_are_client_errors() {
        assertStatus(401, gateway.anonymous().delete("/token"));
        assertStatus(404, gateway.as("ada").get("/token/x"));
        assertStatus(405, gateway.as("ada").send("PUT", "/token", ""));
        assertStatus(405, gateway.as("ada").get("/token/cookie"));
        assertStatus(405, gateway.as("ada").send("POST", "/token/redirect", ""));
    }

    @Test
    void json_may_contain_credentials() {
        var anonymous = gateway.anonymous();
        var issued = anonymous.post("/token", "{\"username\": \"ada\", \"password\": \"ada-pw\"}");
        assertStatus(200, issued);
        assertSaysWhenItEnds(issued);
        var renewed = anonymous.post("/token?renew", "{\"username\": \"ada\", \"password\": \"ada-pw\"}");
        assertThat(json(renewed).get("access_token")).isNotEqualTo(json(issued).get("access_token"));
        assertStatus(
                200,
                anonymous.post(
                        "/token",
                        "{\"grant_type\": \"client_credentials\", \"client_id\": \"ada\", \"client_secret\":"
                                + " \"ada-pw\"}"));
        assertStatus(200, anonymous.post("/token/cookie", "{\"username\": \"ada\", \"password\": \"ada-pw\"}"));
        assertStatus(401, anonymous.post("/token", "{\"username\": \"ada\", \"password\": \"x\"}"));
        assertStatus(400, anonymous.post("/token", "{\"username\": \"ada\"}"));
        assertStatus(400, anonymous.post("/token", "{\"username\": \"ada\", \"password\": {\"$ne\": 1}}"));
        for (var field : List.of("scope", "resource", "grant_type", "client_id")) {
            var listed = anonymous.post(
                    "/token", "{\"username\": \"ada\", \"password\": \"ada-pw\", \"%s\": [\"a\"]}".formatted(field));
            assertStatus(400, listed);
            assertThat(listed.body()).contains("the value of " + field + " must be a text");
        }
        for (var other : List.of("{}", "[]", "{\"username\"", "null")) {
            var refused = anonymous.post("/token", other);
            assertStatus(401, refused);
            assertThat(refused.body())
                    .contains("as a form with grant_type=password, username and password, or as JSON");
            assertStatus(200, gateway.as("ada").post("/token", other));
        }
        assertStatus(200, gateway.as("ada").post("/token", "{\"username\": \"bob\", \"password\": \"x\"}"));
    }

    private static void assertSaysWhenItEnds(HttpResponse<String> issued) {
        assertStatus(200, issued);
        assertThat(json(issued).keySet())
                .containsExactly(
                        "access_token", "token_type", "expires_in", "username", "roles", "expires_at", "renewal");
        assertThat(json(issued).get("expires_at").asString().getValue())
                .isEqualTo(issued.headers().firstValue("Auth-Token-Valid-Until").orElseThrow());
        assertThat(json(issued).get("renewal").asString().getValue()).isEqualTo("POST /token?renew");
    }

    @Test
    void every_token_comes_with_when_it_ends_and_what_renews_it() {
        assertSaysWhenItEnds(gateway.as("ada").get("/token"));
        assertSaysWhenItEnds(gateway.as("ada").post("/token", ""));
        assertSaysWhenItEnds(bearer(token(gateway.as("ada"))).send("POST", "/token?renew", ""));
    }

    @Test
    void forms_may_contain_credentials() {
        assertSaysWhenItEnds(form().send("POST", "/token", "grant_type=password&username=ada&password=ada-pw"));
        assertStatus(
                200, form().send("POST", "/token", "grant_type=client_credentials&client_id=ada&client_secret=ada-pw"));
        assertStatus(401, form().send("POST", "/token", "grant_type=password&username=ada&password=x"));
        var incomplete = form().send("POST", "/token", "grant_type=password&username=ada");
        assertStatus(400, incomplete);
        assertThat(incomplete.body()).contains("the content has no password");
        var misspelt = form().send("POST", "/token", "grant_type=passwrd&username=ada&password=ada-pw");
        assertStatus(400, misspelt);
        assertThat(misspelt.body()).contains("grant_type must be password", "did you mean password?");
        assertThat(form().send("POST", "/token", "grant_typ=password").body()).contains("grant_type must be password");
        var cookie = form().send("POST", "/token/cookie", "grant_type=password&username=ada&password=ada-pw");
        assertStatus(200, cookie);
        assertThat(json(cookie).keySet()).containsExactly("authenticated", "username", "roles");
        assertThat(cookie.headers().firstValue("Set-Cookie").orElse(""))
                .matches("rh_auth=Bearer_[^;]+; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=900");
    }

    @Test
    void credentials_are_accepted_or_refused() {
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
        assertStatus(200, gateway.anonymous().as("ada", token).get("/roles/ada"));
        assertStatus(401, gateway.anonymous().as("bob", token).get("/roles/ada"));
        var cookie = gateway.anonymous().with("Cookie", "x=1; rh_auth=Bearer_" + token);
        assertStatus(200, cookie.get("/roles/ada"));
        assertStatus(401, cookie.with("Authorization", "Basic x").get("/roles/ada"));
    }

    @Test
    void roles_are_visible_to_their_account_only() {
        assertStatus(401, gateway.anonymous().get("/roles/ada"));
        for (var path : List.of("/roles/bob", "/roles", "/roles/", "/roles/ada/", "/roles/ada/x")) {
            assertThat(gateway.as("ada").get(path).statusCode()).as(path).isEqualTo(403);
            assertThat(gateway.as("admin").get(path).statusCode()).as(path).isEqualTo(403);
        }
        assertStatus(405, gateway.as("ada").delete("/roles/ada"));
        assertStatus(200, gateway.as("ada").send("OPTIONS", "/roles/ada", ""));
    }

    @Test
    void forged_tokens_are_refused() throws Exception {
        var future = Instant.now().plusSeconds(600).getEpochSecond();
        var claims = "{\"iss\":\"restheart.org\",\"sub\":\"ada\",\"roles\":[\"editor\"],\"exp\":" + future + "}";
        assertStatus(200, bearer(signed(KEY, JWSAlgorithm.HS256, claims)).get("/c"));
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
        assertStatus(401, bearer(crit.serialize()).get("/c"));
        assertStatus(
                401,
                gateway.anonymous()
                        .with("Authorization", "Bearer " + signed(KEY, JWSAlgorithm.HS256, claims))
                        .with("Authorization", "Bearer x")
                        .get("/c"));
        assertStatus(401, bearer("a.b.c").get("/c"));
        assertStatus(
                401,
                bearer(encode("[".repeat(4_000)) + "." + encode("x") + ".y").get("/c"));
    }

    @Test
    void a_key_named_by_the_token_itself_is_not_used() throws Exception {
        var own = new com.nimbusds.jose.jwk.gen.RSAKeyGenerator(2048).generate();
        var claims = "{\"iss\":\"restheart.org\",\"sub\":\"ada\",\"roles\":[\"editor\"]}";
        var jws = new JWSObject(
                new JWSHeader.Builder(JWSAlgorithm.RS256)
                        .jwk(own.toPublicJWK())
                        .keyID("../../dev/null")
                        .build(),
                new Payload(claims));
        jws.sign(new com.nimbusds.jose.crypto.RSASSASigner(own));
        assertStatus(401, bearer(jws.serialize()).get("/c"));
    }

    @Test
    void tokens_are_not_read_from_the_query() {
        var token = token(gateway.as("ada"));
        assertStatus(401, gateway.anonymous().get("/c?access_token=" + token));
    }

    @Test
    void a_redirection_leads_where_the_configuration_says() {
        var response = gateway.as("ada").get("/token/redirect?redirect-url=https://evil.example");
        assertStatus(307, response);
        assertThat(response.headers().firstValue("Location").orElse(""))
                .matches("https://app\\.example/done#access_token=[^&]+&token_type=Bearer&expires_in=\\d+");
    }

    @Test
    void a_token_of_another_issuer_is_exchanged_for_none_that_lasts_longer() throws Exception {
        long end = Instant.now().getEpochSecond() + 30;
        var foreign = signed(
                KEY,
                JWSAlgorithm.HS256,
                "{\"iss\":\"restheart.org\",\"sub\":\"stranger\",\"roles\":[\"editor\"],\"exp\":" + end + "}");
        assertStatus(200, bearer(foreign).get("/c"));
        assertThat(claims(renewed(foreign)).getNumber("exp").longValue()).isLessThanOrEqualTo(end);
    }
}
