package org.restheart.core.streams;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.set;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Listeners that come back: what they missed, while others write.
@WithMongo
@Timeout(240)
class StreamResumeTest {
    private static final String DEFINITION = "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}";
    private static final String TARGET = "/t/_streams/all?resumeAfter=";
    private static final String OPEN_TO_ALL = "mongoAclAuthorizer: {acl-db: $db, acl-collection: acl}";

    /// Fewer messages may wait for a listener than it misses.
    private static final String FEW = ", change-streams-max-waiting-messages: 20";

    private static final String SOME = ", change-streams-max-waiting-messages: 100";

    private static final int LISTENERS = 6;
    private static final int DISTURBANCES = 6;
    private static final int AT_LEAST = 500;

    private volatile StreamsGateway gateway;
    private volatile String uri = "";
    private volatile boolean disturbed;

    /// Nobody goes on: a listener or the writer has failed, or all have ended.
    private volatile boolean over;

    /// The number of the last event; 0 until it is known.
    private volatile int last;

    private static List<BsonDocument> documents(int from, int count, String more) {
        return IntStream.range(from, from + count)
                .mapToObj(n -> BsonDocument.parse("{n: " + n + more + "}"))
                .toList();
    }

    private static int number(SseListener.Event event) {
        return event.document().getDocument("fullDocument").getInt32("n").getValue();
    }

    /// It receives them as fast as it takes them; what is written in the meantime does not fit to what waits either.
    /// That ends while more is missing than sockets hold: a client that is no longer behind may be too slow
    /// for it.
    @Test
    void a_client_far_behind_receives_all_that_it_missed_and_what_comes_meanwhile(TestMongo mongo) throws Exception {
        int missed = 3_000;
        try (var gateway = StreamsGateway.start(mongo, FEW)) {
            gateway.define("t", DEFINITION);
            String id;
            try (var first = SseListener.open(gateway, TARGET)) {
                gateway.insert("t", "{n: 1}");
                id = first.next().id();
            }
            var text = ", text: '" + "x".repeat(4_000) + "'";
            gateway.collection("t").insertMany(documents(2, missed, text));
            try (var other = SseListener.open(gateway, TARGET);
                    var again = seenUpTo(missed + 2, gateway, other, id)) {
                int written = missed + 2;
                int last = 1;
                while (last < written) {
                    assertThat(number(again.next())).isEqualTo(++last);
                    if (last % 50 == 0 && last <= missed / 3) {
                        gateway.collection("t").insertMany(documents(written + 1, 19, ""));
                        for (int i = 0; i < 19; i++) {
                            assertThat(number(other.next())).isEqualTo(++written);
                        }
                    }
                }
                gateway.insert("t", "{n: " + (written + 1) + "}");
                assertThat(number(again.next())).isEqualTo(written + 1);
            }
        }
    }

    /// Comes back when the gateway has read all events up to one of this number, which is new: a client is as far
    /// behind as it believes only then.
    private static SseListener seenUpTo(int number, StreamsGateway gateway, SseListener other, String id)
            throws IOException {
        gateway.insert("t", "{n: " + number + "}");
        assertThat(number(other.next())).isEqualTo(number);
        return new SseListener(gateway, TARGET, id);
    }

    /// What it missed does not fit to what may wait, and is fetched again: not each small event for itself, neither
    /// when large ones came before.
    @ParameterizedTest
    @ValueSource(ints = {0, 4})
    void many_small_events_are_fetched_with_few_commands(int large, TestMongo mongo) throws Exception {
        int small = 5_000;
        try (var former = StreamsGateway.start(mongo, "");
                var gateway = former.another(mongo, SOME, OPEN_TO_ALL)) { // nobody listens to it
            former.define("t", DEFINITION);
            String id;
            try (var first = SseListener.open(former, TARGET)) {
                former.insert("t", "{n: 1}");
                id = first.next().id();
            }
            for (int i = 0; i < large; i++) {
                gateway.collection("t").insertMany(documents(2 + i, 1, ", t: '" + "x".repeat(1_000_000) + "'"));
            }
            gateway.collection("t").insertMany(documents(2 + large, small, ", t: '" + "x".repeat(500) + "'"));
            var commands =
                    TestMongo.profiled(gateway.database(), "{op: {$in: ['command', 'getmore']}, ns: /[.]t$/}", () -> {
                        try (var again = new SseListener(gateway, TARGET, id)) {
                            for (int n = 2; n < 2 + large + small; n++) {
                                assertThat(number(again.next())).isEqualTo(n);
                            }
                        }
                    });
            assertThat(commands.size()).isBetween(1, small / 10);
        }
    }

    /// Those who stay do not receive such an event, and all others.
    @Test
    void who_comes_back_receives_all_but_an_event_at_which_the_pipeline_fails(TestMongo mongo) throws Exception {
        try (var gateway = StreamsGateway.start(mongo, "")) {
            gateway.define("t", """
                {"streams": [{"uri": "divides", "stages": [
                  {"$addFields": {"fullDocument.r": {"$divide": [1, "$fullDocument.d"]}}}]}]}\
                """);
            var target = "/t/_streams/divides";
            String id;
            try (var first = SseListener.open(gateway, target)) {
                gateway.insert("t", "{n: 1, d: 1}");
                id = first.next().id();
            }
            gateway.insert("t", "{n: 2, d: 'x'}");
            gateway.insert("t", "{n: 3, d: 1}");
            gateway.insert("t", "{n: 4, d: 'x'}");
            gateway.insert("t", "{n: 5, d: 'x'}");
            gateway.insert("t", "{n: 6, d: 1}");
            try (var again = new SseListener(gateway, target, id)) {
                assertThat(again.status()).contains(" 200 ");
                assertThat(number(again.next())).isEqualTo(3);
                assertThat(number(again.next())).isEqualTo(6);
                gateway.insert("t", "{n: 7, d: 1}");
                assertThat(number(again.next())).isEqualTo(7);
            }
        }
    }

    /// MongoDB sends no event of more than 16 MiB, of whichever document.
    @Test
    void who_comes_back_receives_all_but_an_event_that_is_too_large(TestMongo mongo) throws Exception {
        try (var gateway = StreamsGateway.start(mongo, "")) {
            gateway.define("t", DEFINITION);
            String id;
            try (var first = SseListener.open(gateway, TARGET)) {
                gateway.insert("t", "{n: 1}");
                id = first.next().id();
            }
            var half = "x".repeat(7_500_000);
            gateway.collection("t").insertMany(documents(2, 1, ", a: '" + half + "'"));
            gateway.collection("t").updateOne(eq("n", 2), set("b", half)); // contains it, and the document with both
            gateway.insert("t", "{n: 3}");
            try (var again = new SseListener(gateway, TARGET, id)) {
                assertThat(again.status()).contains(" 200 ");
                var event = again.next();
                while (!event.document().containsKey("fullDocument") || number(event) != 3) {
                    event = again.next();
                }
            }
        }
    }

    /// Connections end at any moment, and so do gateways and connections to MongoDB.
    @Test
    void events_arrive_once_and_in_order_whatever_ends(TestMongo mongo) throws Exception {
        try (var relay = Relay.to(mongo);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            relay.start();
            uri = "mongodb://127.0.0.1:" + relay.port() + "/?directConnection=true";
            gateway = StreamsGateway.start(mongo.client(), uri, mongo.newDatabaseName(), FEW);
            try {
                gateway.define("t", DEFINITION);
                var began = new CountDownLatch(LISTENERS);
                var followers = new ArrayList<Future<Integer>>();
                for (int i = 0; i < LISTENERS; i++) {
                    followers.add(threads.submit(() -> follow(began)));
                }
                began.await();
                var writer = threads.submit(() -> write(mongo.client(), gateway.collection("t")));
                disturb(relay);
                disturbed = true;
                writer.get();
                for (var follower : followers) {
                    int resumed = follower.get();
                    assertThat(over || resumed > DISTURBANCES)
                            .as("resumed %d times", resumed)
                            .isTrue();
                }
            } finally {
                over = true;
                gateway.close();
            }
        }
    }

    private void disturb(Relay relay) throws Exception {
        for (int i = 0; i < DISTURBANCES && !over; i++) {
            Thread.sleep(ThreadLocalRandom.current().nextInt(500));
            if (i % 2 == 0) {
                relay.cut();
            } else {
                var former = gateway;
                gateway = former.another(uri, FEW, OPEN_TO_ALL);
                former.close();
            }
        }
    }

    /// Single documents, many at once, and transactions, whose events have one time.
    private Void write(MongoClient client, MongoCollection<BsonDocument> collection) throws InterruptedException {
        int written = 0;
        try (var session = client.startSession()) {
            while (!over && (!disturbed || written < AT_LEAST)) {
                int kind = ThreadLocalRandom.current().nextInt(8);
                var batch = documents(
                        written + 1, kind > 1 ? 1 : ThreadLocalRandom.current().nextInt(2, 60), "");
                if (kind == 0) {
                    session.withTransaction(() -> collection.insertMany(session, batch));
                } else {
                    collection.insertMany(batch);
                }
                written += batch.size();
                Thread.sleep(ThreadLocalRandom.current().nextInt(10));
            }
        }
        last = written + 1;
        collection.insertOne(documents(last, 1, "").getFirst());
        return null;
    }

    private int follow(CountDownLatch began) throws InterruptedException {
        try {
            return received(began);
        } catch (AssertionError e) {
            over = true; // the others need not go on
            throw e;
        }
    }

    /// Returns how often it has resumed, after the last event.
    private int received(CountDownLatch began) throws InterruptedException {
        String id = null;
        int resumed = 0;
        for (int received = 0; !over && (received == 0 || received != last); ) {
            try (var events = new SseListener(gateway, TARGET, id)) {
                if (!events.status().contains(" 200 ")) {
                    assertThat(events.status()).matches("|.* (429|503) .*");
                    Thread.sleep(50);
                    continue;
                }
                if (id == null) {
                    id = events.nextId();
                    began.countDown();
                }
                resumed++;
                for (int i = ThreadLocalRandom.current().nextInt(60);
                        i > 0 && (received == 0 || received != last);
                        i--) {
                    var event = events.next();
                    assertThat(number(event)).isEqualTo(++received);
                    id = event.id();
                }
            } catch (IOException _) {
                Thread.sleep(10); // its gateway or the connection has ended
            }
        }
        return resumed;
    }
}
