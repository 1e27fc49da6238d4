package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What is changed through one of three gateways is soon seen by the others, which have seen it as it was before.
@WithMongo
class ManyGatewaysTest {
    /// One second is promised. The rest is for tests that share their machine; without change streams it would be the
    /// times of caches, a minute mostly.
    private static final Duration SOON = Duration.ofSeconds(10);

    private static final String SECURITY =
            StreamsGateway.SECURITY.replace("root-role: admin", "root-role: admin, cache-ttl: 60000");

    private StreamsGateway one;
    private List<StreamsGateway> others;

    @BeforeEach
    void start(TestMongo mongo) {
        one = StreamsGateway.startSecured(mongo, "", SECURITY);
        others = List.of(one.another(mongo, "", SECURITY), one.another(mongo, "", SECURITY));
        one.addUser("root", "admin");
    }

    @AfterEach
    void stop() {
        others.forEach(StreamsGateway::close);
        one.close();
    }

    private void change(String method, String target, String body, String... headers) throws Exception {
        var all = new String[headers.length + 2];
        System.arraycopy(headers, 0, all, 2, headers.length);
        all[0] = "Authorization";
        all[1] = StreamsGateway.basic("root");
        var response = one.send(method, target, body, all);
        assertThat(response.statusCode())
                .as(method + " " + target + response.body())
                .isLessThan(300);
    }

    private void seen(String target, String name, String password, int status) {
        for (var gateway : others) {
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(
                                    gateway.send("GET", target, "", "Authorization", TestClient.basic(name, password))
                                            .statusCode())
                            .as(target)
                            .isEqualTo(status));
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
        var tag = one.send("GET", "/t/_meta", "", "Authorization", StreamsGateway.basic("root"))
                .headers()
                .firstValue("ETag")
                .orElseThrow();
        change("DELETE", "/t", "", "If-Match", tag);
        seen("/t", "root", "root-pw", 404);
        change("PUT", "/t", "{\"aggrs\": [{\"uri\": \"third\", \"stages\": []}]}");
        seen("/t/_aggrs/third", "root", "root-pw", 200);
    }
}
