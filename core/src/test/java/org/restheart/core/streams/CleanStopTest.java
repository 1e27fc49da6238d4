package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// A gateway that stops leaves no cursors in MongoDB.
@WithMongo
class CleanStopTest {
    private final TestMongo mongo;

    CleanStopTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    /// Cursors on the database, read just now or idle.
    private List<BsonDocument> cursors(String database) {
        return TestMongo.operations(mongo.client(), "{cursor: {$exists: true}, ns: {$regex: '^" + database + "[.]'}}");
    }

    private static boolean isTailable(BsonDocument operation) {
        return operation
                .getDocument("cursor", new BsonDocument())
                .getBoolean("tailable", BsonBoolean.FALSE)
                .getValue();
    }

    @Test
    void no_cursor_of_it_is_open_two_seconds_later() throws Exception {
        var gateway = StreamsGateway.start(mongo, ", cursor-pool: {mode: EXACT, slice-width: 20}");
        var database = gateway.database().getName();
        try (gateway) {
            gateway.define("t", "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}");
            gateway.collection("t")
                    .insertMany(IntStream.range(0, 3_000)
                            .mapToObj(i -> new BsonDocument("_id", new BsonInt32(i)))
                            .toList());
            var _ = SseListener.open(gateway, "/t/_streams/all");
            // The streams of permissions, of the listener, and of exact bookmarks; a cursor that is positioned ahead.
            await().until(() -> {
                gateway.send("GET", "/t?page=100&pagesize=10&sort=%7B%22_id%22:1%7D", "");
                gateway.send("GET", "/t?page=200&pagesize=10&eager=linear&hint=%7B%22_id%22:1%7D", "");
                var open = cursors(database);
                return open.stream().filter(CleanStopTest::isTailable).count() >= 3
                        && open.stream().anyMatch(operation -> !isTailable(operation));
            });
        }
        Patience.within(Duration.ofSeconds(2))
                .untilAsserted(() -> assertThat(cursors(database)).isEmpty());
    }
}
