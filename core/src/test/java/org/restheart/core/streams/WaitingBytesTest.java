package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.util.List;
import org.bson.json.JsonParseException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.Opened;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The bound on what waits for all listeners together.
@WithMongo
class WaitingBytesTest {
    private static final int EVENTS = 20;
    private static final String DEFINITIONS = """
            {"streams": [
              {"uri": "all", "stages": []},
              {"uri": "v", "stages": [{"$match": {"fullDocument.t": {"$ne": {"$var": "x"}}}}]}]}""";

    @AutoClose
    private final StreamsGateway gateway;

    WaitingBytesTest(TestMongo mongo) {
        gateway = StreamsGateway.startSecured(
                mongo,
                ", change-streams-max-waiting-bytes: 1000000000, change-streams-max-waiting-bytes-together: 8000000",
                StreamsGateway.SECURITY);
    }

    @BeforeEach
    void prepare() throws Exception {
        List.of("admin", "greedy", "other").forEach(name -> gateway.addUser(name, "admin"));
        assertStatus(201, gateway.send("PUT", "/t", DEFINITIONS, "Authorization", StreamsGateway.basic("admin")));
    }

    @Test
    void who_lets_most_wait_loses_listeners_and_others_do_not() throws Exception {
        try (var greedy = new Opened<SseListener>();
                var other = SseListener.open(
                        gateway, "/t/_streams/all", "Authorization: " + StreamsGateway.basic("other"))) {
            for (int i = 0; i < 10; i++) {
                greedy.add(SseListener.open(
                        gateway,
                        "/t/_streams/v?avars=%7B%22x%22:" + i + "%7D",
                        "Authorization: " + StreamsGateway.basic("greedy")));
            }
            var text = "x".repeat(1_000_000);
            for (int n = 0; n < EVENTS; n++) {
                gateway.insert("t", "{n: " + n + ", text: '" + text + "'}");
                assertThat(other.nextN()).isEqualTo(n);
            }

            assertThat(greedy.all().stream().filter(listener -> told(listener) < EVENTS))
                    .hasSizeGreaterThan(3);
            gateway.insert("t", "{n: 100}");
            assertThat(other.nextN()).isEqualTo(100);
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
