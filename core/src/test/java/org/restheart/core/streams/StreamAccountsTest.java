package org.restheart.core.streams;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import at.favre.lib.crypto.bcrypt.BCrypt;
import java.io.IOException;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Listeners end with their accounts.
@WithMongo
class StreamAccountsTest {
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

    StreamAccountsTest(TestMongo mongo) {
        gateway = StreamsGateway.startSecured(mongo, "", SECURITY);
    }

    @BeforeEach
    void prepare() throws Exception {
        List.of("admin", "gone", "other").forEach(this::addUser);
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
    void a_listener_ends_with_its_account() throws Exception {
        try (var socket = WebSocketListener.open(gateway, "/t/_streams/all", "Authorization", basic("gone"));
                var events = SseListener.open(gateway, "/t/_streams/all", "Authorization: " + basic("gone"));
                var lasting = WebSocketListener.open(gateway, "/t/_streams/all", "Authorization", basic("other"))) {
            gateway.collection("users").deleteOne(eq("_id", "gone"));
            assertThat(socket.closeCode()).isEqualTo(1008);
            assertThatThrownBy(events::next).isInstanceOf(IOException.class);
            gateway.insert("t", "{n: 1}");
            assertThat(lasting.nextN()).isEqualTo(1);
        }
    }

    @Test
    void a_listener_ends_with_its_role_and_not_with_another_property() throws Exception {
        try (var listener = WebSocketListener.open(gateway, "/t/_streams/all", "Authorization", basic("other"))) {
            gateway.collection("users").updateOne(eq("_id", "other"), set("colour", "blue"));
            Thread.sleep(1_500); // it is looked at twice a second
            gateway.insert("t", "{n: 1}");
            assertThat(listener.nextN()).isEqualTo(1);
            assertThat(listener.isClosed()).isFalse();
            gateway.collection("users").updateOne(eq("_id", "other"), set("roles", List.of("nobody")));
            assertThat(listener.closeCode()).isEqualTo(1008);
        }
    }
}
