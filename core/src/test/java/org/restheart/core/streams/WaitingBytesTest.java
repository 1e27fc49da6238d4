package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;

import at.favre.lib.crypto.bcrypt.BCrypt;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.bson.Document;
import org.bson.json.JsonParseException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The bound on what waits for all listeners together.
@WithMongo
class WaitingBytesTest {
    private static final int EVENTS = 20;
    private static final String SECURITY = """
            basicAuthMechanism: {enabled: true}
            mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-complexity: 4, create-user: false}
            mongoAclAuthorizer: {acl-db: $db, acl-collection: acl, root-role: admin}
            """;
    private static final String DEFINITIONS = """
            {"streams": [
              {"uri": "all", "stages": []},
              {"uri": "v", "stages": [{"$match": {"fullDocument.t": {"$ne": {"$var": "x"}}}}]}]}""";

    private final StreamsGateway gateway;

    WaitingBytesTest(TestMongo mongo) {
        gateway = StreamsGateway.startSecured(
                mongo,
                ", change-streams-max-waiting-bytes: 1000000000, change-streams-max-waiting-bytes-together: 8000000",
                SECURITY);
    }

    @BeforeEach
    void prepare() throws Exception {
        List.of("admin", "greedy", "other").forEach(this::addUser);
        assertThat(gateway.send("PUT", "/t", DEFINITIONS, "Authorization", basic("admin"))
                        .statusCode())
                .isEqualTo(201);
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    private void addUser(String name) {
        gateway.database()
                .getCollection("users")
                .insertOne(new Document("_id", name)
                        .append("password", BCrypt.withDefaults().hashToString(4, (name + "-pw").toCharArray()))
                        .append("roles", List.of("admin")));
    }

    private static String basic(String name) {
        return TestClient.basic(name, name + "-pw");
    }

    @Test
    void who_lets_most_wait_loses_listeners_and_others_do_not() throws Exception {
        var greedy = new ArrayList<SseListener>();
        try (var other = SseListener.open(gateway, "/t/_streams/all", "Authorization: " + basic("other"))) {
            for (int i = 0; i < 10; i++) {
                greedy.add(SseListener.open(
                        gateway, "/t/_streams/v?avars=%7B%22x%22:" + i + "%7D", "Authorization: " + basic("greedy")));
            }
            var text = "x".repeat(1_000_000);
            for (int n = 0; n < EVENTS; n++) {
                gateway.insert("t", "{n: " + n + ", text: '" + text + "'}");
                assertThat(other.nextN()).isEqualTo(n);
            }

            assertThat(greedy.stream().filter(listener -> told(listener) < EVENTS))
                    .hasSizeGreaterThan(3);
            gateway.insert("t", "{n: 100}");
            assertThat(other.nextN()).isEqualTo(100);
        } finally {
            for (var listener : greedy) {
                listener.close();
            }
        }
    }

    private static int told(SseListener listener) {
        int events = 0;
        try {
            for (; events < EVENTS; events++) {
                listener.next();
            }
        } catch (IOException | JsonParseException _) { // closed, maybe in the middle of an event
        }
        return events;
    }
}
