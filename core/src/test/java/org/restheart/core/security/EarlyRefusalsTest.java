package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.core.server.RawClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Decisions that depend on the head of a request do not wait for its content, and content that never arrives does
/// not affect other requests.
@WithMongo
class EarlyRefusalsTest {
    private static final int MIB = 1 << 20;
    private static final String ADMIN = "Authorization: Basic " + encoded("admin:admin-pw");
    private static final String ADA = "Authorization: Basic " + encoded("ada:ada-pw");
    private static final String JSON = "Content-Type: application/json";

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(
                mongo,
                "core: {max-buffered-content: 8388608, max-anonymous-content: 2097152}\n"
                        + "connection-options: {MAX_ENTITY_SIZE: 2097152}\n");
        gateway.permit("{_id: 'open', roles: ['$unauthenticated'], predicate: \"path('/open') and method(POST)\"}");
        gateway.permit(
                "{_id: 'kind', roles: ['editor'], predicate: \"path('/kinds') and bson-request-contains(kind)\"}");
        gateway.insert("open", "{_id: 'a'}");
        gateway.insert("kinds", "{_id: 'a'}");
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static RawClient connect() throws IOException {
        return new RawClient(gateway.address());
    }

    /// The status of a request whose content never comes.
    private static int status(String methodAndTarget, String... headers) throws IOException {
        try (var client = connect()) {
            return client.request(methodAndTarget, headers).answer().status();
        }
    }

    @Test
    void refusals_do_not_wait_for_content() throws IOException {
        for (var length :
                new String[] {"Content-Length: 1000", "Content-Length: 1000000", "Transfer-Encoding: chunked"}) {
            assertThat(status("POST /kinds", JSON, length))
                    .as("anonymous, " + length)
                    .isEqualTo(401);
            assertThat(status("POST /kinds", JSON, length, "Authorization: Basic " + encoded("ada:wrong")))
                    .isEqualTo(401);
            assertThat(status("POST /acl", JSON, length, ADA)).isEqualTo(403);
            assertThat(status("POST /missing", JSON, length, ADMIN)).isEqualTo(404);
            assertThat(status("POST /kinds/a", JSON, length, ADMIN)).isEqualTo(405);
            assertThat(status("POST /kinds", "Content-Type: image/png", length, ADMIN))
                    .isEqualTo(415);
        }
        assertThat(status("POST /kinds", JSON, "Content-Length: 3000000", ADMIN))
                .isEqualTo(413);
        assertThat(status("POST /kinds", JSON, "Content-Length: 3000000")).isEqualTo(401);
        assertThat(status("POST /kinds", JSON, "Content-Length: 30", "Expect: 100-continue"))
                .isEqualTo(401);
    }

    @Test
    void rules_about_content_are_asked_when_it_is_there() throws Exception {
        for (var kind : new String[] {"kind", "other"}) {
            try (var client = connect()) {
                client.request("POST /kinds", JSON, "Content-Length: 12", ADA).send("{\"" + kind.substring(0, 1));
                Thread.sleep(50);
                client.send((kind.substring(1) + "\":1}      ").substring(0, 9));
                assertThat(client.answer().status()).isEqualTo(kind.equals("kind") ? 201 : 403);
            }
        }
    }

    @Test
    void anonymous_content_that_does_not_arrive_takes_no_memory_from_others() throws Exception {
        var silent = new ArrayList<RawClient>();
        try {
            for (int i = 0; i < 70; i++) {
                var path = i % 2 == 0 ? "/open" : "/kinds";
                var client = new RawClient(gateway.address(), i % 4 == 0 ? "127.0.0.3" : "127.0.0.1");
                silent.add(client);
                try {
                    client.request("POST " + path, JSON, "Content-Length: " + 2 * MIB)
                            .send(new byte[MIB * 9 / 10]);
                } catch (IOException _) {
                    // refused already
                }
            }
            for (int i = 0; i < 5; i++) {
                var content = "{\"kind\":1,\"x\":\"" + "x".repeat(MIB) + "\"}";
                assertStatus(201, gateway.as("admin").post("/kinds", content));
                assertStatus(201, gateway.as("ada").post("/kinds", "{\"kind\":1}"));
                try (var client = new RawClient(gateway.address(), "127.0.0.2")) {
                    client.request("POST /open", JSON, "Content-Length: 2").send("{}");
                    assertThat(client.answer().status()).isEqualTo(201);
                }
            }
        } finally {
            for (var client : silent) {
                client.close();
            }
        }
    }
}
