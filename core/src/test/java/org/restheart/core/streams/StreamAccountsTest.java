package org.restheart.core.streams;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Listeners end with their accounts.
@WithMongo
class StreamAccountsTest {
    private static final String DEFINITIONS = """
            {"streams": [
              {"uri": "all", "stages": []},
              {"uri": "v", "stages": [{"$match": {"fullDocument.t": {"$ne": {"$var": "x"}}}}]}]}""";

    @AutoClose
    private final StreamsGateway gateway;

    StreamAccountsTest(TestMongo mongo) {
        gateway = StreamsGateway.startSecured(mongo, "", StreamsGateway.SECURITY);
    }

    @BeforeEach
    void prepare() throws Exception {
        List.of("admin", "gone", "other").forEach(name -> gateway.addUser(name, "admin"));
        assertStatus(201, gateway.send("PUT", "/t", DEFINITIONS, "Authorization", StreamsGateway.basic("admin")));
    }

    @Test
    void a_listener_ends_with_its_account() throws Exception {
        try (var socket = WebSocketListener.open(
                        gateway, "/t/_streams/all", "Authorization", StreamsGateway.basic("gone"));
                var events =
                        SseListener.open(gateway, "/t/_streams/all", "Authorization: " + StreamsGateway.basic("gone"));
                var lasting = WebSocketListener.open(
                        gateway, "/t/_streams/all", "Authorization", StreamsGateway.basic("other"))) {
            gateway.collection("users").deleteOne(eq("_id", "gone"));
            assertThat(socket.closeCode()).isEqualTo(1008);
            assertThatThrownBy(events::next).isInstanceOf(IOException.class);
            gateway.insert("t", "{n: 1}");
            assertThat(lasting.nextN()).isEqualTo(1);
        }
    }

    @Test
    void a_listener_ends_with_its_role_and_not_with_another_property() throws Exception {
        try (var listener = WebSocketListener.open(
                        gateway, "/t/_streams/all", "Authorization", StreamsGateway.basic("other"));
                var later = WebSocketListener.open(
                        gateway, "/t/_streams/all", "Authorization", StreamsGateway.basic("gone"))) {
            gateway.collection("users").updateOne(eq("_id", "other"), set("color", "blue"));
            gateway.collection("users").deleteOne(eq("_id", "gone"));
            assertThat(later.closeCode()).isEqualTo(1008); // changes are looked at in their order
            gateway.insert("t", "{n: 1}");
            assertThat(listener.nextN()).isEqualTo(1);
            assertThat(listener.isClosed()).isFalse();
            gateway.collection("users").updateOne(eq("_id", "other"), set("roles", List.of("nobody")));
            assertThat(listener.closeCode()).isEqualTo(1008);
        }
    }
}
