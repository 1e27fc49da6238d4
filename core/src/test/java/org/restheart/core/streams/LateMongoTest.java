package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.time.Duration;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The features of MongoDB are determined for each stream, not once when the gateway starts.
@WithMongo
class LateMongoTest {
    private final TestMongo mongo;

    LateMongoTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    @Test
    void streams_open_as_soon_as_mongodb_is_there() throws Exception {
        try (var relay = Relay.to(mongo);
                var gateway = StreamsGateway.start(
                        mongo.client(),
                        "mongodb://127.0.0.1:" + relay.port() + "/?directConnection=true&serverSelectionTimeoutMS=300",
                        mongo.newDatabaseName(),
                        "")) {
            gateway.database().createCollection("t");
            gateway.collection("_properties")
                    .insertOne(BsonDocument.parse("{_id: '_properties.t', streams: [{uri: 'all', stages: []}]}"));
            assertThat(gateway.handshake("/t/_streams/all")).isEqualTo(503);
            relay.start();
            await().until(() -> gateway.handshake("/t/_streams/all") == 101);
            try (var events = SseListener.open(gateway, "/t/_streams/all")) {
                gateway.insert("t", "{n: 1}");
                assertThat(events.nextN()).isEqualTo(1);
            }
        }
    }

    /// Requests do not wait for a deployment that is known to be unreachable, and are served as soon as it is
    /// reachable again.
    @Test
    void requests_fail_at_once_while_mongodb_is_known_to_be_away() throws Exception {
        try (var relay = Relay.to(mongo);
                var gateway = StreamsGateway.start(
                        mongo.client(),
                        "mongodb://127.0.0.1:" + relay.port() + "/?directConnection=true",
                        mongo.newDatabaseName(),
                        "")) {
            gateway.database().createCollection("t");
            long begin = System.nanoTime();
            var first = gateway.send("GET", "/t", "");
            assertStatus(503, first);
            assertThat(first.headers().firstValue("Retry-After")).isPresent();
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isLessThan(Patience.relative(Duration.ofSeconds(15)));
            begin = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                assertStatus(503, gateway.send("GET", "/t?page=" + (i + 1), ""));
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isLessThan(Patience.relative(Duration.ofSeconds(30)));
            relay.start();
            await().until(() -> gateway.send("GET", "/t", "").statusCode() == 200);
        }
    }

    /// Members are found by the DNS (`mongodb+srv`), which may fail as well.
    @Test
    void requests_fail_at_once_while_the_dns_does_not_name_the_members() throws Exception {
        try (var relay = Relay.to(mongo)) {
            relay.start();
            try (var records = TestDns.failing(relay.port());
                    var gateway = StreamsGateway.start(
                            mongo.client(),
                            "mongodb+srv://" + TestDns.HOST + "/?tls=false&serverSelectionTimeoutMS=2000",
                            mongo.newDatabaseName(),
                            "")) {
                gateway.database().createCollection("t");
                await().untilAsserted(() -> {
                    long begin = System.nanoTime();
                    for (int i = 0; i < 5; i++) {
                        assertStatus(503, gateway.send("GET", "/t?page=" + (i + 1), ""));
                    }
                    assertThat(Duration.ofNanos(System.nanoTime() - begin))
                            .isLessThan(Patience.relative(Duration.ofSeconds(5)));
                });
                records.answer();
                await().until(() -> gateway.send("GET", "/t", "").statusCode() == 200);
            }
        }
    }
}
