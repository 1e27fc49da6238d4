package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/// What MongoDB no longer knows cannot be told; everybody is told so. Rolling an oplog over takes minutes: MongoDB is
/// made to say what it says then.
@TestInstance(Lifecycle.PER_CLASS)
class LostHistoryTest {
    private static final int HISTORY_LOST = 286;
    private static final String NAMESPACE = "history.t";

    private OwnReplicaSet mongo;
    private MongoClient client;
    private StreamsGateway gateway;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        mongo = OwnReplicaSet.start(1, folder);
        client = MongoClients.create(mongo.connectionString());
        gateway = StreamsGateway.start(client, mongo.connectionString(), "history", "");
        gateway.define("t", "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}");
    }

    @AfterAll
    void stop() {
        gateway.close();
        client.close();
        mongo.close();
    }

    @Test
    void a_listener_that_was_away_for_too_long_is_refused_with_410_and_disturbs_nobody() throws Exception {
        try (var staying = SseListener.open(gateway, "/t/_streams/all")) {
            gateway.insert("t", "{n: 1}");
            var id = staying.next().id();

            OwnReplicaSet.fail(client, NAMESPACE, "aggregate", HISTORY_LOST, 1);
            try (var away = new SseListener(gateway, "/t/_streams/all", id)) {
                assertThat(away.status()).contains(" 410 ");
            }
            OwnReplicaSet.fail(client, NAMESPACE, "aggregate", HISTORY_LOST, 1);
            assertThat(gateway.handshake("/t/_streams/all?startAtOperationTime=1"))
                    .isEqualTo(410);

            gateway.insert("t", "{n: 2}");
            assertThat(staying.nextN()).isEqualTo(2);
        }
        try (var now = SseListener.open(gateway, "/t/_streams/all")) { // without a past, all is well
            assertThat(now.status()).contains(" 200 ");
        }
    }

    @Test
    void listeners_of_a_stream_whose_history_is_lost_are_told_that_it_failed() throws Exception {
        try (var webSocket = WebSocketListener.open(gateway, "/t/_streams/all");
                var events = SseListener.open(gateway, "/t/_streams/all")) {
            OwnReplicaSet.fail(client, NAMESPACE, "getMore", HISTORY_LOST, 1);
            assertThat(webSocket.closeCode()).isEqualTo(1011);
            assertThatThrownBy(events::next).hasMessage("the stream has ended");
        }
    }
}
