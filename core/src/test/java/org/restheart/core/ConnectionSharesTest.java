package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.restheart.core.config.GatewayConfig;
import org.restheart.mongo.find.LargeReplies;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
class ConnectionSharesTest {
    /// Those that have connections may wait for the memory of large replies.
    @Test
    void who_has_waited_for_a_connection_holds_no_memory_of_a_reply(TestMongo mongo) {
        mongo.database().getCollection("large").insertOne(new Document("_id", 1).append("t", "x".repeat(1 << 20)));
        Queue<Boolean> held = new ConcurrentLinkedQueue<>();
        var connected = new CommandListener() {
            @Override
            public void commandStarted(CommandStartedEvent event) {
                held.add(LargeReplies.isHeld());
            }
        };
        var config = GatewayConfig.parse("mclient: {connection-string: '" + mongo.connectionString() + "'}");
        try (var connection = MongoConnection.open(config, new SimpleMeterRegistry(), List.of(connected))) {
            var documents =
                    connection.client().getDatabase(mongo.databaseName()).getCollection("large");
            boolean isHeld = LargeReplies.owned(() -> {
                assertThat(documents.find().first()).isNotNull();
                boolean after = LargeReplies.isHeld();
                assertThat(documents.find().first()).isNotNull();
                return after;
            });
            assertThat(isHeld).isTrue();
            assertThat(held).hasSizeGreaterThanOrEqualTo(2).doesNotContain(true);
        }
    }
}
