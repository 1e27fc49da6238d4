package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.nimbusds.jose.JWSAlgorithm;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.server.RawClient;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Nothing can be derived from an API key that does not have its limits.
@WithMongo
class ApiKeyLimitsTest {
    private static final String SIGNING =
            "a key of more than sixty-four characters, so that it is long enough for HMAC";
    private static final String PARTS = """
        apiKeyAuthMechanism: {enabled: true}
        dataApi: {enabled: true, login: true, sessions-db: $db}
        apiKeyRealm: {keys-db: $db, keys-collection: apikeys}
        jwtConfigProvider: {key: "%s"}
        jwtAuthenticationMechanism: {enabled: true}
        imports: {db: $db}
        tokenBasicAuthMechanism: {enabled: true}
        authCookieSetter: {enabled: true}
        authCookieHandler: {enabled: true}
        authTokenService: {enabled: true, uri: /token, redirect-url: "https://app.example/in"}
        """.formatted(SIGNING);

    @AutoClose
    private static TestGateway jwt;

    @AutoClose
    private static TestGateway random;

    @BeforeAll
    static void start(TestMongo mongo) {
        jwt = TestGateway.start(mongo, PARTS + """
            jwtTokenManager: {enabled: true}
            oauthAuthorizationService:
              enabled: true
              login-url: https://login.example/in
              allowed-redirect-uris: ["http://localhost:*"]
            """);
        random = TestGateway.start(mongo, PARTS + "rndTokenManager: {enabled: true, ttl: 15, srv-uri: /tokens}\n");
        for (var gateway : List.of(jwt, random)) {
            gateway.permit("{_id: 1, roles: ['editor'], predicate: \"path-prefix('/c')\"}");
            gateway.insert("c", "{_id: 1}");
        }
    }

    private static BsonDocument make(TestGateway at, String who) {
        var response = at.as(who).post("/_apikeys", "{\"days\": 7, \"from\": [\"127.0.0.1/32\"]}");
        assertStatus(201, response);
        return BsonDocument.parse(response.body());
    }

    /// All ways to send a key.
    private static List<TestClient> with(TestGateway at, BsonDocument made) {
        var key = made.getString("key").getValue();
        return List.of(
                at.anonymous().with("api-key", key),
                at.anonymous().with("Authorization", "Bearer " + key),
                at.anonymous().with("Cookie", "rh_auth=Bearer_" + key));
    }

    /// What was refused contains parts of documents, which a key with fewer roles may not read.
    @Test
    void a_key_sees_the_imports_that_were_begun_with_it() {
        var lines = "{\"_id\": 1}\n{\"_id\": 1}\n";
        var own = importing(jwt.as("ada"), lines);
        var made = make(jwt, "ada");
        var key = with(jwt, made).getFirst();
        var other = with(jwt, make(jwt, "ada")).getFirst();
        var ofKey = importing(key, lines);
        for (var path : List.of(own, own + "/errors")) {
            assertStatus(404, key.get(path));
            assertStatus(200, jwt.as("ada").get(path));
        }
        assertStatus(404, key.send("PATCH", own, ""));
        assertStatus(404, key.send("DELETE", own, ""));
        assertThat(key.get("/_imports").body()).contains(id(ofKey)).doesNotContain(id(own));
        assertThat(jwt.as("ada").get("/_imports").body()).contains(id(ofKey), id(own));
        assertStatus(404, other.get(ofKey));
        assertStatus(404, jwt.as("admin").get(ofKey));
        assertStatus(200, key.get(ofKey));
        assertStatus(204, jwt.as("ada").send("DELETE", ofKey, ""));
    }

    private static String importing(TestClient client, String lines) {
        var answer = client.with("Content-Type", "application/x-ndjson").send("POST", "/_imports?into=/c", lines);
        assertStatus(202, answer);
        return answer.headers().firstValue("Location").orElseThrow();
    }

    private static String id(String location) {
        return location.substring(location.lastIndexOf('/') + 1);
    }

    @Test
    void an_account_has_so_many_keys_also_if_they_are_made_at_the_same_time() throws Exception {
        jwt.insert("users", "{_id: 'many', password: '" + TestGateway.hash("many-pw") + "', roles: ['editor']}");
        make(jwt, "many");
        var keys = jwt.collection("apikeys");
        var mine = new BsonDocument("account", new BsonString("many"));
        var others = new ArrayList<BsonDocument>();
        for (int i = 1; i < 998; i++) {
            var other = BsonDocument.parse(keys.find(mine).first().toJson());
            other.append("_id", new BsonString("many-" + i)).append("handle", new BsonObjectId());
            others.add(other);
        }
        keys.insertMany(others);
        var made = new ArrayList<Integer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var requests = IntStream.range(0, 16)
                    .mapToObj(_ -> threads.submit(() ->
                            jwt.as("many").post("/_apikeys", "{\"days\": 7}").statusCode()))
                    .toList();
            for (var request : requests) {
                made.add(request.get());
            }
        }
        assertThat(made).allMatch(status -> status == 201 || status == 403);
        long there = keys.countDocuments(mine);
        assertThat(there)
                .isEqualTo(998 + made.stream().filter(status -> status == 201).count())
                .isLessThanOrEqualTo(1_000);
        for (; there < 1_000; there++) {
            make(jwt, "many");
        }
        var refused = jwt.as("many").post("/_apikeys", "{\"days\": 7}");
        assertStatus(403, refused);
        assertThat(refused.body()).contains("at most 1000 keys");
    }

    /// Those store what was asked for without `Authorization`, unless they are told not to.
    @Test
    void caches_that_clients_share_do_not_store_what_a_key_or_a_cookie_gets() {
        var key = make(jwt, "ada").getString("key").getValue();
        for (var field : List.of("api-key", "apiKey")) {
            for (var target : List.of("/c", "/c/1?id_type=NUMBER", "/c/_size", "/c/none", "/other", "/c?page=x")) {
                assertThat(jwt.anonymous()
                                .with(field, key)
                                .get(target)
                                .headers()
                                .allValues("Cache-Control"))
                        .as(target)
                        .containsExactly("private");
            }
        }
        var token = BsonDocument.parse(jwt.as("ada").post("/token", "").body())
                .getString("access_token")
                .getValue();
        assertThat(jwt.anonymous()
                        .with("Cookie", "rh_auth=Bearer_" + token)
                        .get("/c")
                        .headers()
                        .allValues("Cache-Control"))
                .containsExactly("private");
        assertThat(jwt.as("ada").get("/c").headers().firstValue("Cache-Control"))
                .isEmpty();
    }

    @Test
    void a_range_of_addresses_holds() throws Exception {
        var key = make(jwt, "ada").getString("key").getValue();
        try (var here = new RawClient(jwt.address(), "127.0.0.1");
                var elsewhere = new RawClient(jwt.address(), "127.0.0.2")) {
            assertThat(here.request("GET /c", "api-key: " + key).answer().status())
                    .isEqualTo(200);
            assertThat(elsewhere.request("GET /c", "api-key: " + key).answer().status())
                    .isEqualTo(401);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ada", "admin"})
    void no_token_is_issued_for_a_key(String who) {
        for (var at : List.of(jwt, random)) {
            for (var client : with(at, make(at, who))) {
                for (var what : List.of(
                        "GET /token",
                        "POST /token",
                        "POST /token?renew",
                        "DELETE /token",
                        "POST /token/cookie",
                        "GET /token/redirect")) {
                    var words = what.split(" ");
                    var answer = client.send(words[0], words[1], "");
                    assertThat(answer.statusCode()).as(what + answer.body()).isEqualTo(403);
                    assertThat(answer.body()).contains("API key");
                    assertThat(answer.headers().firstValue("Auth-Token")).isEmpty();
                    assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
                    assertThat(answer.headers().firstValue("Location")).isEmpty();
                }
            }
        }
    }

    @Test
    void no_authorization_code_is_issued_for_a_key() {
        for (var client : with(jwt, make(jwt, "ada"))) {
            var answer = client.send(
                    "POST",
                    "/authorize?response_type=code&client_id=app&code_challenge=abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"
                            + "&code_challenge_method=S256&redirect_uri=http%3A%2F%2Flocalhost%3A3000%2F",
                    "");
            assertStatus(403, answer);
            assertThat(answer.headers().firstValue("Location")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ada", "admin"})
    void a_key_manages_no_keys(String who) {
        var made = make(jwt, who);
        var path = "/_apikeys/" + made.getString("handle").getValue();
        for (var client : with(jwt, made)) {
            assertStatus(403, client.post("/_apikeys", "{\"days\": 300}"));
            assertStatus(403, client.patch(path, "{\"disabled\": false}"));
            assertStatus(403, client.send("DELETE", path, ""));
            assertStatus(403, client.get("/_apikeys"));
        }
    }

    @Test
    void a_key_ends_no_token_of_its_account() {
        for (var at : List.of(jwt, random)) {
            var token = BsonDocument.parse(at.as("ada").post("/token", "").body())
                    .getString("access_token")
                    .getValue();
            with(at, make(at, "ada")).forEach(client -> assertStatus(200, client.send("POST", "/logout", "")));
            assertStatus(200, at.anonymous().as("ada", token).get("/c"));
        }
    }

    @Test
    void a_token_for_a_password_manages_keys() {
        for (var at : List.of(jwt, random)) {
            var token = BsonDocument.parse(at.as("ada").post("/token", "").body())
                    .getString("access_token")
                    .getValue();
            var ada = at.anonymous().as("ada", token);
            var made = ada.post("/_apikeys", "{\"days\": 7}");
            assertStatus(201, made);
            var path = "/_apikeys/"
                    + BsonDocument.parse(made.body()).getString("handle").getValue();
            assertStatus(204, ada.send("DELETE", path, ""));
        }
    }

    /// Whoever issues tokens with the same key, or with one that is accepted, names accounts of his own.
    @Test
    void an_account_from_elsewhere_gets_no_keys_of_one_with_its_name() throws Exception {
        var path = "/_apikeys/" + make(jwt, "ada").getString("handle").getValue();
        var foreign = jwt.anonymous()
                .with(
                        "Authorization",
                        "Bearer "
                                + TokenFixture.signed(
                                        SIGNING,
                                        JWSAlgorithm.HS256,
                                        "{iss: 'restheart.org', sub: 'ada', roles: ['editor'], exp: 4102444800}"));
        assertStatus(200, foreign.get("/c"));
        assertStatus(403, foreign.post("/_apikeys", "{\"days\": 7}"));
        assertStatus(403, foreign.get("/_apikeys"));
        assertStatus(403, foreign.send("DELETE", path, ""));
    }

    /// Rules about such an account can only be about claims.
    @Test
    void what_is_derived_from_a_token_of_another_issuer_has_its_claims() throws Exception {
        jwt.permit("visitor", "path('/c') and not equals(@user.suspended, 'true')", "{}");
        for (var suspended : List.of(true, false)) {
            var token = TokenFixture.signed(
                    SIGNING,
                    JWSAlgorithm.HS256,
                    "{iss: 'restheart.org', sub: 'eve', roles: ['visitor'], suspended: %s, exp: 4102444800}"
                            .formatted(suspended));
            var derived =
                    BsonDocument.parse(bearer(token).post("/token?renew", "").body());
            var begun = BsonDocument.parse(jwt.anonymous()
                    .post("/api/client/v2.0/app/a/auth/providers/custom-token/login", "{\"token\": \"" + token + "\"}")
                    .body());
            var renewed =
                    BsonDocument.parse(bearer(begun.getString("refresh_token").getValue())
                            .post("/api/client/v2.0/auth/session", "")
                            .body());
            assertStatus(suspended ? 403 : 200, bearer(token).get("/c"));
            for (var answer : List.of(derived, begun, renewed)) {
                assertStatus(
                        suspended ? 403 : 200,
                        bearer(answer.getString("access_token").getValue()).get("/c"));
            }
        }
    }

    private static TestClient bearer(String token) {
        return jwt.anonymous().with("Authorization", "Bearer " + token);
    }

    private static String sign(String name, String roles, String ofKey) {
        jwt.insertUsers("{_id: '" + name + "', roles: " + roles + "}");
        var made = jwt.user(name).post("/_apikeys", "{\"days\": 7, \"roles\": " + ofKey + "}");
        assertStatus(201, made);
        return BsonDocument.parse(made.body()).getString("key").getValue();
    }

    /// The first role of an account whose permission applies decides, and may show less than those behind it.
    @Test
    void a_key_with_fewer_roles_may_not_do_more_than_its_account() {
        jwt.permit("shelf-trial", "path-prefix('/shelf')", "{readFilter: {open: true}, projectResponse: {price: 0}}");
        jwt.permit("shelf-wide", "path-prefix('/shelf') or path-prefix('/cellar')", "{}");
        jwt.insert("shelf", "{_id: 'b0', price: 1}", "{_id: 'b1', open: true, price: 1}");
        jwt.insert("cellar", "{_id: 'b0'}");
        var wide = sign("trial", "['shelf-trial', 'shelf-wide']", "[\"shelf-wide\"]");
        var narrow = sign("trial2", "['shelf-trial', 'shelf-wide']", "[\"shelf-trial\"]");
        var last = sign("trial3", "['shelf-wide', 'shelf-trial']", "[\"shelf-trial\"]");
        var ofRoot = sign("boss", "['admin', 'shelf-wide']", "[\"shelf-wide\"]");
        assertStatus(404, jwt.user("trial").get("/shelf/b0"));
        for (var client : List.of(jwt.anonymous().with("api-key", wide), session(wide))) {
            assertStatus(403, client.get("/shelf/b0"));
            assertStatus(403, client.get("/shelf/b1"));
            assertStatus(200, client.get("/cellar/b0"));
            assertThat(client.post("/_access/check", "{\"path\": \"/shelf/b0\"}")
                            .body())
                    .contains("refused")
                    .doesNotContain("allowed");
            assertThat(client.post("/_access/check", "{\"path\": \"/cellar/b0\"}")
                            .body())
                    .contains("allowed");
            assertThat(client.get("/_access").body()).contains("\"cellar\"").doesNotContain("\"shelf\"");
        }
        for (var key : List.of(narrow, last)) {
            for (var client : List.of(jwt.anonymous().with("api-key", key), session(key))) {
                assertStatus(404, client.get("/shelf/b0"));
                assertThat(client.get("/shelf/b1").body()).doesNotContain("price");
                assertStatus(403, client.get("/cellar/b0"));
            }
        }
        for (var client : List.of(jwt.anonymous().with("api-key", ofRoot), session(ofRoot))) {
            assertStatus(200, client.get("/shelf/b0"));
            assertStatus(403, client.get("/users"));
        }
    }

    /// A rule may exclude what is of a role.
    @Test
    void a_key_with_fewer_roles_sees_nothing_that_another_role_of_its_account_hides() {
        jwt.permit(
                "desk",
                "path-prefix('/notes') or path('/board') and not in(value='trainee', array=@user.roles)",
                "{readFilter: {hiddenFrom: {$nin: '%ROLES'}}, writeFilter: {hiddenFrom: {$nin: '%ROLES'}}}");
        jwt.insert("notes", "{_id: 'n0', hiddenFrom: ['trainee']}", "{_id: 'n1', hiddenFrom: ['guest']}");
        jwt.insert("board", "{_id: 'n0'}");
        var desk = sign("clerk", "['desk', 'trainee']", "[\"desk\"]");
        for (var client : List.of(jwt.user("clerk"), jwt.anonymous().with("api-key", desk), session(desk))) {
            assertStatus(404, client.get("/notes/n0"));
            assertStatus(404, client.patch("/notes/n0", "{\"x\": 1}"));
            assertStatus(200, client.get("/notes/n1"));
            assertStatus(200, client.patch("/notes/n1", "{\"x\": 1}"));
            assertStatus(403, client.get("/board"));
        }
    }

    private static TestClient session(String key) {
        var begun = jwt.anonymous()
                .post("/api/client/v2.0/app/a/auth/providers/api-key/login", "{\"key\": \"" + key + "\"}");
        assertStatus(200, begun);
        return jwt.anonymous()
                .with(
                        "Authorization",
                        "Bearer "
                                + BsonDocument.parse(begun.body())
                                        .getString("access_token")
                                        .getValue());
    }

    /// With the password a key would be good for everything that its account may do, from everywhere.
    @Test
    void a_key_does_not_change_the_password_of_its_account() {
        jwt.permit("{_id: 'own', roles: ['editor'], predicate: \"path-prefix('/users')\","
                + " mongo: {allowBulkPatch: true, allowWriteMode: true}}");
        var password = "{\"password\": \"another-pw\"}";
        var whole = "{\"_id\": \"ada\", \"password\": \"another-pw\", \"roles\": [\"editor\"]}";
        for (var client : with(jwt, make(jwt, "ada"))) {
            assertStatus(403, client.patch("/users/ada", password));
            assertStatus(403, client.patch("/users/ada", "{\"$set\": " + password + "}"));
            assertStatus(403, client.put("/users/ada", "{\"password\": \"another-pw\", \"roles\": [\"editor\"]}"));
            assertStatus(403, client.post("/users", whole));
            assertStatus(403, client.post("/users", "[" + whole + "]"));
            assertStatus(403, client.patch("/users/*?filter=" + TestGateway.encode("{\"_id\": \"ada\"}"), password));
            assertStatus(200, client.patch("/users/ada", "{\"team\": \"red\"}"));
        }
        assertStatus(200, jwt.as("ada").get("/c"));
        assertThat(updateAsAnAction(password)).isEqualTo(403);
        assertThat(updateAsAnAction("{\"team\": \"blue\"}")).isEqualTo(200);
        assertStatus(200, jwt.as("ada").get("/c"));
        var maker = with(jwt, make(jwt, "ada")).getFirst();
        assertStatus(201, maker.post("/users", whole.replace("ada", "made-by-a-key")));
    }

    private static int updateAsAnAction(String fields) {
        var update = "{\"dataSource\": \"x\", \"database\": \"%s\", \"collection\": \"users\","
                + " \"filter\": {\"_id\": \"ada\"}, \"update\": {\"$set\": %s}}";
        return with(jwt, make(jwt, "ada"))
                .getFirst()
                .post(
                        "/app/a/endpoint/data/v1/action/updateOne",
                        update.formatted(jwt.database().getName(), fields))
                .statusCode();
    }
}
