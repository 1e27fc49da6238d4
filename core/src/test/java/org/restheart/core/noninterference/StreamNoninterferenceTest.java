package org.restheart.core.noninterference;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Change streams of two instances deliver the same events, whatever happens to hidden documents and fields.
///
/// System properties: `fuzz.seed`.
@WithMongo
class StreamNoninterferenceTest {
    private static final int TEST_CASES = 8;
    private static final int CHANGES = 12;

    @Test
    void streams_deliver_nothing_of_hidden_data(TestMongo mongo) throws IOException {
        long seed = Long.getLong("fuzz.seed", 20261122);
        System.out.println("streams: -Dfuzz.seed=" + seed);
        var random = new RandomSource(seed);
        try (var left = GatewayInstance.start(mongo);
                var right = GatewayInstance.start(mongo)) {
            for (var profile : List.of(CallerProfile.READS, CallerProfile.BOTH)) {
                var name = profile.collection(0);
                left.create(name);
                right.create(name);
                for (int i = 0; i < TEST_CASES; i++) {
                    testCase(profile, name, random, left, right);
                }
            }
        }
    }

    private static void testCase(
            CallerProfile profile, String name, RandomSource random, GatewayInstance left, GatewayInstance right)
            throws IOException {
        var state = InitialState.of(profile, random);
        left.put(name, state.left());
        right.put(name, state.right());
        try (var one = new Listener(left.port(), profile, name);
                var other = new Listener(right.port(), profile, name)) {
            var values = new ValueGenerator(random);
            for (int i = 0; i < CHANGES; i++) {
                var field = random.pick("v", "a", "d.x", "open", "secret", "n.secret");
                var seen = new BsonString(random.pick("m0", "m1", "m2", "m3"));
                boolean hidden = profile.hides().contains(field);
                var value = values.value();
                if (!hidden && random.percent(50)) {
                    left.change(name, new BsonString("h0"), field, fresh(random, values));
                    right.change(name, new BsonString("h1"), field, fresh(random, values));
                    continue;
                }
                boolean changed = left.change(name, seen, field, hidden ? fresh(random, values) : value);
                assertThat(right.change(name, seen, field, hidden ? fresh(random, values) : value))
                        .isEqualTo(changed);
                if (changed) {
                    expectEqual(profile, seen, one, other);
                }
            }
            for (var instance : List.of(left, right)) {
                instance.change(name, new BsonString("m0"), "v", new BsonString("the end"));
            }
            expectEqual(profile, new BsonString("m0"), one, other);
        }
    }

    /// The next events are those of this document and equal. They are awaited before the next change: MongoDB looks up
    /// the document of an update when it delivers the event, so a later change could already show in it.
    private static void expectEqual(CallerProfile profile, BsonString id, Listener one, Listener other)
            throws IOException {
        var event = one.next();
        assertThat(event.getDocument("documentKey").get("_id"))
                .as("profile %s: %s", profile, event)
                .isEqualTo(id);
        assertThat(event.toJson())
                .as("profile %s", profile)
                .isEqualTo(other.next().toJson());
    }

    /// A value that no field has yet: setting an equal one would not be a change.
    private static BsonDocument fresh(RandomSource random, ValueGenerator values) {
        return new BsonDocument("u", new BsonInt64(random.nextSeed())).append("v", values.value());
    }

    /// A client of server-sent events.
    private static final class Listener implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader in;

        Listener(int port, CallerProfile profile, String collection) throws IOException {
            socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), port);
            socket.setSoTimeout(60_000);
            var credentials =
                    Base64.getEncoder().encodeToString((profile.user() + ":pw").getBytes(StandardCharsets.UTF_8));
            socket.getOutputStream()
                    .write(("GET /" + collection
                                    + "/_streams/all HTTP/1.1\r\nHost: test\r\nAccept: text/event-stream\r\n"
                                    + "Authorization: Basic " + credentials + "\r\n\r\n")
                            .getBytes(StandardCharsets.UTF_8));
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            assertThat(in.readLine()).contains("200");
        }

        BsonDocument next() throws IOException {
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith("data:")) {
                    return BsonDocument.parse(line.substring(5));
                }
            }
            throw new IOException("the stream has ended");
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
