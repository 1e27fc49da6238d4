package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClients;
import java.nio.file.Path;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What listeners see of the death of a primary: nothing.
class FailoverTest {
    private static final int EVENTS = 600;

    @TempDir
    Path folder;

    @Test
    void the_primary_dies_in_mid_stream_and_nothing_is_lost_or_told_twice() throws Exception {
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
