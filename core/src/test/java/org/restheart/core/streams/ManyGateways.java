package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestClient;

/// What is changed through one of three gateways is soon seen by the others, which have seen it as it was before.
abstract class ManyGateways {
    /// One second is promised. The rest is for tests that share their machine; caches keep most things for a minute.
    private static final Duration SOON = Duration.ofSeconds(10);

    static final String SECURITY = StreamsGateway.SECURITY + """
            jwtConfigProvider: {key: "a key that three gateways share, of 32 bytes", revocations-db: $db}
            jwtAuthenticationMechanism: {enabled: true}
            jwtTokenManager: {enabled: true}
            rateLimits: {enabled: true, address-requests-per-minute: 0, account-requests-per-minute: 60,
              account-burst: 50, unlimited-roles: [admin], shared-db: $db}
            graphql: {db: $db, collection: gqlapps, app-cache-ttr: 600000}
            """;

    /// As in the built-in configuration.
    static final String CACHES = ", local-cache-ttl: 60000, schema-cache-ttl: 60000";

    private StreamsGateway one;
    private List<StreamsGateway> others = List.of();

    void start(StreamsGateway first, String connectionString, String more) {
        one = first;
        others = List.of(one.another(connectionString, CACHES, more), one.another(connectionString, CACHES, more));
        one.addUser("root", "admin");
    }

    /// The gateways beside the one that makes changes.
    final List<StreamsGateway> others() {
        return others;
    }

    @AfterEach
    void stop() {
        if (one != null) {
            others.forEach(StreamsGateway::close);
            one.close();
        }
    }

    static HttpResponse<String> send(
            StreamsGateway to, String credentials, String method, String target, String body, String... headers)
            throws Exception {
        var all = new String[headers.length + 2];
        System.arraycopy(headers, 0, all, 2, headers.length);
        all[0] = "Authorization";
        all[1] = credentials;
        return to.send(method, target, body, all);
    }

    HttpResponse<String> change(String method, String target, String body, String... headers) throws Exception {
        var response = send(one, StreamsGateway.basic("root"), method, target, body, headers);
        assertThat(response.statusCode())
                .as(method + " " + target + response.body())
                .isLessThan(300);
        return response;
    }

    private void seen(String target, String name, String password, int status) {
        seen("GET", target, "", TestClient.basic(name, password), status);
    }

    private void seen(String method, String target, String body, String credentials, int status) {
        for (var gateway : others) {
            Patience.within(SOON).untilAsserted(() -> {
                var answer = send(gateway, credentials, method, target, body);
                assertThat(answer.statusCode())
                        .as(method + " " + target + " " + answer.body())
                        .isEqualTo(status);
            });
        }
    }

    @Test
    void accounts_and_permissions() throws Exception {
        change("PUT", "/t", "{}");
        seen("/t", "bob", "first", 401);
        change("PUT", "/users/bob?wm=upsert", "{\"password\": \"first\", \"roles\": [\"user\"]}");
        seen("/t", "bob", "first", 403);
        change("PUT", "/acl/p?wm=upsert", "{\"roles\": [\"user\"], \"predicate\": \"path(/t)\", \"priority\": 1}");
        seen("/t", "bob", "first", 200);
        change("PATCH", "/users/bob", "{\"password\": \"second\"}");
        seen("/t", "bob", "first", 401);
        seen("/t", "bob", "second", 200);
        change("PATCH", "/users/bob", "{\"roles\": [\"nothing\"]}");
        seen("/t", "bob", "second", 403);
        change("PATCH", "/users/bob", "{\"roles\": [\"user\"]}");
        seen("/t", "bob", "second", 200);
        change("DELETE", "/acl/p", "");
        seen("/t", "bob", "second", 403);
        change("DELETE", "/users/bob", "");
        seen("/t", "bob", "second", 401);
    }

    @Test
    void properties_and_what_is_dropped() throws Exception {
        change("PUT", "/t", "{\"aggrs\": [{\"uri\": \"first\", \"stages\": []}]}");
        seen("/t/_aggrs/first", "root", "root-pw", 200);
        seen("/t/_aggrs/second", "root", "root-pw", 404);
        change("PUT", "/t", "{\"aggrs\": [{\"uri\": \"second\", \"stages\": []}]}");
        seen("/t/_aggrs/second", "root", "root-pw", 200);
        seen("/t/_aggrs/first", "root", "root-pw", 404);
        var tag = change("GET", "/t/_meta", "").headers().firstValue("ETag").orElseThrow();
        change("DELETE", "/t", "", "If-Match", tag);
        seen("/t", "root", "root-pw", 404);
        change("PUT", "/t", "{\"aggrs\": [{\"uri\": \"third\", \"stages\": []}]}");
        seen("/t/_aggrs/third", "root", "root-pw", 200);
    }

    @Test
    void schemas() throws Exception {
        var root = StreamsGateway.basic("root");
        change("PUT", "/_schemas", "{}");
        change("PUT", "/_schemas/s?wm=upsert", "{\"properties\": {\"n\": {\"type\": \"integer\"}}}");
        change("PUT", "/t", "{\"jsonSchema\": {\"schemaId\": \"s\"}}");
        seen("POST", "/t", "{\"n\": 1}", root, 201);
        seen("POST", "/t", "{\"n\": \"one\"}", root, 400);
        change("PUT", "/_schemas/s?wm=upsert", "{\"properties\": {\"n\": {\"type\": \"string\"}}}");
        seen("POST", "/t", "{\"n\": \"one\"}", root, 201);
        seen("POST", "/t", "{\"n\": 1}", root, 400);
        change("PUT", "/t", "{}");
        seen("POST", "/t", "{\"n\": 1}", root, 201);
    }

    @Test
    void graphql_apps() throws Exception {
        var root = StreamsGateway.basic("root");
        change("PUT", "/t", "{}");
        change("PUT", "/gqlapps", "{}");
        change("PUT", "/gqlapps/a?wm=upsert", app("first"));
        seen("POST", "/graphql/a", "{\"query\": \"{first{n}}\"}", root, 200);
        change("PUT", "/gqlapps/a", app("second"));
        seen("POST", "/graphql/a", "{\"query\": \"{second{n}}\"}", root, 200);
        seen("POST", "/graphql/a", "{\"query\": \"{first{n}}\"}", root, 400);
        change("PATCH", "/gqlapps/a", "{\"descriptor\": {\"enabled\": false}}");
        seen("POST", "/graphql/a", "{\"query\": \"{second{n}}\"}", root, 404);
        change("PATCH", "/gqlapps/a", "{\"descriptor\": {\"enabled\": true}}");
        seen("POST", "/graphql/a", "{\"query\": \"{second{n}}\"}", root, 200);
        change("DELETE", "/gqlapps/a", "");
        seen("POST", "/graphql/a", "{\"query\": \"{second{n}}\"}", root, 404);
    }

    private String app(String field) {
        return """
                {"schema": "type Doc { n: Int } type Query { $f: [Doc] }",
                 "mappings": {"Query": {"$f": {"db": "$db", "collection": "t"}}}}
                """.replace("$f", field).replace("$db", one.database().getName());
    }

    @Test
    void tokens() throws Exception {
        var answer = change("POST", "/token", "").body();
        var bearer =
                "Bearer " + BsonDocument.parse(answer).getString("access_token").getValue();
        seen("GET", "/token", "", bearer, 200);
        assertStatus(204, send(one, bearer, "DELETE", "/token", ""));
        seen("GET", "/token", "", bearer, 401);
    }

    /// One request a second is let in again meanwhile, and each question is a request: they are few.
    @Test
    void rate_limits() throws Exception {
        change("PUT", "/t", "{}");
        one.addUser("eve", "user");
        one.insert("acl", "{_id: 'p', roles: ['user'], predicate: 'path(/t)', priority: 1}");
        var eve = StreamsGateway.basic("eve");
        for (int i = 0; i < 40; i++) {
            assertStatus(200, send(one, eve, "GET", "/t", ""));
        }
        for (var gateway : others) {
            var asked = new AtomicInteger();
            Patience.within(SOON).pollInterval(Duration.ofMillis(400)).untilAsserted(() -> {
                asked.incrementAndGet();
                long remaining = send(gateway, eve, "GET", "/t", "")
                        .headers()
                        .firstValueAsLong("RateLimit-Remaining")
                        .orElseThrow();
                assertThat(remaining + asked.get()).isLessThan(30);
            });
        }
        var root = StreamsGateway.basic("root");
        assertStatus(403, send(one, root, "GET", "/_rates", ""));
    }

    @Test
    void idempotency_keys() throws Exception {
        change("PUT", "/t", "{}");
        var stored = change("POST", "/t", "{\"n\": 1}", "Idempotency-Key", "\"k\"");
        for (var gateway : others) {
            var again =
                    send(gateway, StreamsGateway.basic("root"), "POST", "/t", "{\"n\": 1}", "Idempotency-Key", "\"k\"");
            assertThat(again.headers().firstValue("Location"))
                    .isEqualTo(stored.headers().firstValue("Location"));
        }
        assertThat(one.collection("t").countDocuments()).isEqualTo(1);
    }
}
