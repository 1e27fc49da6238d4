package org.restheart.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What the metrics tell of caches.
@WithMongo
class CacheMetricsTest {
    private static final String APP = """
            {"schema": "type Doc { n: Int } type Query { a: [Doc] }", "mappings": {"Query": {"a": {"db": "$db", "collection": "t"}}}}
            """;

    private String app;

    @AutoClose
    private Gateway gateway;

    private TestClient client;

    @BeforeEach
    void start(TestMongo mongo) {
        var db = mongo.newDatabaseName();
        app = APP.replace("$db", db);
        mongo.client()
                .getDatabase(db)
                .getCollection("users")
                .insertOne(new Document("_id", "root")
                        .append("password", TestGateway.hash("pw"))
                        .append("roles", List.of("admin", "other")));
        gateway = Gateway.start(GatewayConfig.parse(
                """
                http-listener: {host: 127.0.0.1, port: 0}
                mclient: {connection-string: '$uri'}
                mongo: {mongo-mounts: [{what: /$db, where: /}]}
                basicAuthMechanism: {enabled: true}
                mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-complexity: 4, create-user: false}
                mongoAclAuthorizer: {acl-db: $db, acl-collection: acl, root-role: admin}
                graphql: {db: $db, collection: gqlapps}
                """.replace("$uri", mongo.connectionString()).replace("$db", db)));
        client = TestClient.of(gateway.address()).as("root", "pw").with("Content-Type", "application/json");
    }

    private HttpResponse<String> send(String method, String path, String content) {
        var answer = client.send(method, path, content);
        assertThat(answer.statusCode()).as(method + " " + path + answer.body()).isLessThan(300);
        return answer;
    }

    private double sample(String name, String cache) {
        var begin = name + "{cache=\"" + cache + "\"} ";
        return send("GET", "/metrics", "")
                .body()
                .lines()
                .filter(line -> line.startsWith(begin))
                .map(line -> Double.valueOf(line.substring(begin.length())))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + begin));
    }

    @Test
    void each_cache_shows_its_entries_and_what_was_found_there() {
        send("PUT", "/_schemas", "{}");
        send("PUT", "/_schemas/s?wm=upsert", "{\"type\": \"object\"}");
        send("PUT", "/t", "{\"jsonSchema\": {\"schemaId\": \"s\"}}");
        send("PUT", "/gqlapps", "{}");
        send("PUT", "/gqlapps/a?wm=upsert", app);
        for (int i = 0; i < 3; i++) {
            send("POST", "/t", "{\"n\": 1}");
            send("POST", "/graphql/a", "{\"query\": \"{a{n}}\"}");
        }
        for (var cache : List.of("metadata", "schemas", "accounts", "graphql-apps")) {
            assertThat(sample("cache_entries", cache)).as(cache).isPositive();
            assertThat(sample("cache_misses_total", cache)).as(cache).isPositive();
            double hits = sample("cache_hits_total", cache);
            send("POST", "/t", "{\"n\": 2}");
            send("POST", "/graphql/a", "{\"query\": \"{a{n}}\"}");
            assertThat(sample("cache_hits_total", cache)).as(cache).isGreaterThan(hits);
            assertThat(sample("cache_evictions_total", cache)).as(cache).isNotNegative();
        }
        assertThat(sample("cache_entries", "permissions")).isNotNegative();
        assertThat(Optional.of(client.with("Accept", "application/json")
                        .send("GET", "/metrics", "")
                        .body()))
                .get()
                .asString()
                .contains("\"/caches\"");
    }
}
