package org.restheart.core.atlas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.restheart.core.Gateway;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Two gateways on one database with the log-in of the Atlas Data API.
@WithMongo
public abstract class LogInFixture {
    public static final String SESSION = "/api/client/v2.0/auth/session";
    public static final String WRONG =
            "{error: 'invalid session: error finding user for endpoint', error_code: 'InvalidSession', link: ''}";

    public static final String CONFIG = """
        apiKeyAuthMechanism: {enabled: true}
        apiKeyRealm: {keys-db: $db, keys-collection: apikeys}
        jwtConfigProvider: {key: a-key-that-both-gateways-of-this-test-know}
        jwtAuthenticationMechanism: {enabled: true}
        jwtTokenManager: {enabled: true}
        dataApi: {enabled: true, login: true, app-ids: [shop-abcde], anonymous-account: guest, sessions-db: $db}
        graphql: {enabled: true, uri: /graphql, db: $db, collection: gql-apps}
        aggregationSecurity: {enabled: false}
        imports: {db: $db}
        """;

    public static TestGateway gateway;
    /// On the same database. It does not know what the first one has revoked, as after a restart.
    public static Gateway another;

    @BeforeAll
    public static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, CONFIG);
        another = Gateway.start(
                TestGateway.config(mongo.connectionString(), gateway.database().getName(), TestGateway.REALM + CONFIG));
        gateway.permit("{_id: 1, roles: ['editor'], predicate: \"path-prefix('/c')\"}");
        gateway.permit("{_id: 2, roles: ['guest'], predicate: \"path-prefix('/open')\"}");
        gateway.permit("{_id: 3, roles: ['viewer', 'editor'], predicate: \"path-prefix('/d')\"}");
        for (var name : List.of("c", "d", "open")) {
            gateway.insert(name, "{_id: 1}");
        }
        account("guest", "guest");
    }

    @AfterAll
    public static void stop() {
        another.close();
        gateway.close();
    }

    public static void account(String name, String... roles) {
        gateway.database()
                .getCollection("users")
                .insertOne(new Document("_id", name)
                        .append("password", TestGateway.hash("pw"))
                        .append("roles", List.of(roles)));
    }

    public static HttpResponse<String> logIn(String provider, String content) {
        return gateway.anonymous()
                .post("/api/client/v2.0/app/shop-abcde/auth/providers/" + provider + "/login", content);
    }

    public static BsonDocument session(String provider, String content) {
        var response = logIn(provider, content);
        assertStatus(200, response);
        assertThat(response.headers().allValues("content-type")).containsExactly("application/json");
        assertThat(response.headers().firstValue("cache-control")).contains("no-store");
        var session = BsonDocument.parse(response.body());
        assertThat(session.keySet()).containsExactly("access_token", "refresh_token", "user_id");
        return session;
    }

    public static BsonDocument ofPassword(String name) {
        return session("local-userpass", "{\"username\": \"%s\", \"password\": \"pw\"}".formatted(name));
    }

    public static TestClient bearer(BsonDocument session, String token) {
        return gateway.anonymous()
                .with("Authorization", "Bearer " + session.getString(token).getValue());
    }

    public static TestClient access(BsonDocument session) {
        return bearer(session, "access_token");
    }

    public static HttpResponse<String> renew(BsonDocument session) {
        return bearer(session, "refresh_token").post(SESSION, "");
    }

    public static int found(TestClient client, String collection) {
        return client.get("/" + collection).statusCode();
    }

    public static BsonDocument claims(BsonDocument session) {
        var part = session.getString("access_token").getValue().split("\\.")[1];
        return BsonDocument.parse(new String(Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8));
    }

    public static BsonDocument key(String name, String members) {
        var made = gateway.user(name).post("/_apikeys", "{\"days\": 7" + members + "}");
        assertStatus(201, made);
        return BsonDocument.parse(made.body());
    }

    public static BsonDocument traded(String token) {
        return session("custom-token", "{\"token\": \"%s\"}".formatted(token));
    }
}
