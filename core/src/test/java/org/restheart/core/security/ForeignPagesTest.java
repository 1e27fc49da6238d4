package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.URI;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WebSocketClient;
import org.restheart.testkit.WithMongo;

/// What pages of other origins do with the password that a browser keeps after a log-in by HTTP Basic. Browsers send
/// these requests without a preflight, with `Authorization`.
@WithMongo
class ForeignPagesTest {
    private static final String FORM = "application/x-www-form-urlencoded";
    private static final String NEIGHBOUR = "http://localhost:9999";

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "cors: {allowed-origins: [\"https://app.example\"]}\n");
        var admin = gateway.as("admin");
        assertStatus(
                201,
                admin.put(
                        "/c",
                        "{\"streams\": [{\"uri\": \"all\", \"stages\": []}], \"aggrs\": [{\"uri\": \"w\","
                                + " \"type\": \"pipeline\", \"stages\": [{\"$out\": \"copy\"}]}]}"));
        assertStatus(201, admin.post("/c", "{}"));
    }

    private static TestClient page(String origin) {
        return gateway.as("admin").with("Origin", origin);
    }

    private static String own() {
        return "http://" + gateway.address().getHostString() + ":"
                + gateway.address().getPort();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                FORM,
                "Application/X-WWW-Form-Urlencoded; charset=utf-8",
                "text/plain",
                "text/plain; application/json",
                "multipart/form-data; boundary=XX",
                ""
            })
    void they_change_nothing(String type) {
        for (var origin : new String[] {NEIGHBOUR, "https://evil.example", "null"}) {
            var page = type.isEmpty() ? page(origin) : page(origin).with("Content-Type", type);
            assertThat(page.send("POST", "/users", "_id=evil&password=x&roles=[\"ada\"]")
                            .statusCode())
                    .as(origin)
                    .isEqualTo(403);
        }
        assertThat(gateway.stored("users", "evil")).isNull();
    }

    @Test
    void a_browser_that_sends_no_origin_says_so_otherwise() {
        var form = gateway.as("admin").with("Content-Type", FORM);
        for (var site : new String[] {"cross-site", "same-site"}) {
            assertStatus(403, form.with("Sec-Fetch-Site", site).send("POST", "/c", "a=1"));
        }
        for (var site : new String[] {"same-origin", "none"}) {
            assertStatus(201, form.with("Sec-Fetch-Site", site).send("POST", "/c", "a=1"));
        }
    }

    @Test
    void the_refusal_says_what_to_do() {
        var refused = page(NEIGHBOUR).with("Content-Type", FORM).send("POST", "/c", "a=1");
        assertStatus(403, refused);
        assertThat(gateway.as("admin")
                        .with("Origin", NEIGHBOUR)
                        .with("Content-Type", FORM)
                        .with("Accept", "application/problem+json")
                        .send("POST", "/c", "a=1")
                        .body())
                .contains("cors.allowed-origins");
    }

    @Test
    void own_pages_listed_ones_and_programs_write() {
        for (var client : new TestClient[] {page(own()), page("https://app.example"), gateway.as("admin")}) {
            assertStatus(201, client.with("Content-Type", FORM).send("POST", "/c", "a=1"));
        }
    }

    @Test
    void a_script_writes_with_a_password_of_its_own() {
        assertStatus(201, page(NEIGHBOUR).post("/c", "{}"));
        assertStatus(201, page(NEIGHBOUR).put("/c/own?wm=upsert", "{}"));
        assertStatus(
                201,
                page(NEIGHBOUR)
                        .with("Content-Type", FORM)
                        .with("X-Requested-With", "XMLHttpRequest")
                        .send("POST", "/c", "a=1"));
    }

    @Test
    void links_write_nothing() {
        for (var client : new TestClient[] {
            page(NEIGHBOUR),
            gateway.as("admin").with("Sec-Fetch-Site", "same-site"),
            gateway.as("admin").with("Sec-Fetch-Site", "cross-site")
        }) {
            assertStatus(403, client.get("/c/_aggrs/w"));
            assertStatus(200, client.get("/c"));
        }
        assertThat(gateway.collection("copy").countDocuments()).isZero();
    }

    @Test
    void they_open_no_websockets() throws Exception {
        for (var path : new String[] {"/c/_streams/all", "/graphql/none"}) {
            int allowed = path.startsWith("/c") ? 101 : 404;
            assertThat(handshake(path, NEIGHBOUR)).as(path).isEqualTo(403);
            assertThat(handshake(path, "https://app.example")).as(path).isEqualTo(allowed);
            assertThat(handshake(path, own())).as(path).isEqualTo(allowed);
        }
    }

    @Test
    void the_incumbents_echo_lets_them(TestMongo mongo) {
        try (var echoing = TestGateway.start(mongo, "cors: {echo-origin: true}\n")) {
            echoing.as("admin").put("/c", "{}");
            assertStatus(
                    201,
                    echoing.as("admin")
                            .with("Origin", NEIGHBOUR)
                            .with("Content-Type", FORM)
                            .send("POST", "/c", "a=1"));
        }
    }

    private static int handshake(String path, String origin) throws Exception {
        return WebSocketClient.handshake(
                URI.create(own().replace("http:", "ws:") + path),
                builder -> builder.header("Authorization", TestClient.basic("admin", "admin-pw"))
                        .header("Origin", origin));
    }
}
