package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClients;
import java.nio.file.Path;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A failover is not visible to listeners.
class FailoverTest {
    private static final int EVENTS = 600;

    @TempDir
    Path folder;

    @Test
    void no_event_is_lost_or_duplicated_when_the_primary_fails() throws Exception {
        try (var mongo = OwnReplicaSet.start(3, folder);
                var client = MongoClients.create(mongo.connectionString());
                var gateway = StreamsGateway.start(client, mongo.connectionString(), "failover", "")) {
            gateway.define("t", "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}");
            try (var webSocket = WebSocketListener.open(gateway, "/t/_streams/all");
                    var events = SseListener.open(gateway, "/t/_streams/all")) {
                for (int n = 0; n < EVENTS; n++) {
                    if (n == EVENTS / 3) {
                        mongo.killPrimary(client);
                    }
                    gateway.insert("t", new BsonDocument("n", new org.bson.BsonInt32(n)).toJson());
                }
                for (int n = 0; n < EVENTS; n++) {
                    assertThat(events.nextN()).isEqualTo(n);
                    assertThat(webSocket.nextN()).isEqualTo(n);
                }
                assertThat(webSocket.isClosed()).isFalse();
                assertThat(webSocket.hasNothing()).isTrue();
            }
        }
    }
}
