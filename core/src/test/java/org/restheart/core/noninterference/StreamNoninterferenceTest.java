package org.restheart.core.noninterference;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Listeners of two worlds hear the same, whatever happens to documents and fields that they do not see.
///
/// System properties: `fuzz.seed`.
@WithMongo
class StreamNoninterferenceTest {
    private static final int EPISODES = 8;
    private static final int CHANGES = 12;

    @Test
    void listeners_hear_nothing_of_what_is_hidden(TestMongo mongo) throws IOException {
        long seed = Long.getLong("fuzz.seed", 20261122);
        System.out.println("streams: -Dfuzz.seed=" + seed);
        var dice = new Dice(seed);
        try (var left = World.start(mongo);
                var right = World.start(mongo)) {
            for (var profile : List.of(Profile.READS, Profile.BOTH)) {
                var name = profile.collection(0);
                left.create(name);
                right.create(name);
                for (int i = 0; i < EPISODES; i++) {
                    episode(profile, name, dice, left, right);
                }
            }
        }
    }

    private static void episode(Profile profile, String name, Dice dice, World left, World right) throws IOException {
        var scene = Scene.of(profile, dice);
        left.put(name, scene.left());
        right.put(name, scene.right());
        try (var one = new Listener(left.port(), profile, name);
                var other = new Listener(right.port(), profile, name)) {
            var values = new Values(dice);
            for (int i = 0; i < CHANGES; i++) {
                var field = dice.of("v", "a", "d.x", "open", "secret", "n.secret");
                var seen = new BsonString(dice.of("m0", "m1", "m2", "m3"));
                boolean hidden = profile.hides().contains(field);
                var value = values.value();
                if (hidden || dice.percent(50)) {
                    left.change(name, hidden ? seen : new BsonString("h0"), field, fresh(dice, values));
                    right.change(name, hidden ? seen : new BsonString("h1"), field, fresh(dice, values));
                } else {
                    left.change(name, seen, field, value);
                    right.change(name, seen, field, value);
                }
            }
            for (var world : List.of(left, right)) {
                world.change(name, new BsonString("m0"), "v", new BsonString("the end"));
            }
            assertThat(one.untilTheEnd()).as("seed and profile " + profile).isEqualTo(other.untilTheEnd());
        }
    }

    /// A value that no field has: setting an equal one is no change, and that there was one is told.
    private static BsonDocument fresh(Dice dice, Values values) {
        return new BsonDocument("u", new BsonInt64(dice.seed())).append("v", values.value());
    }

    /// Listens with server-sent events.
    private static final class Listener implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader in;

        Listener(int port, Profile profile, String collection) throws IOException {
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

        /// What each event tells, up to and with the last one.
        List<String> untilTheEnd() throws IOException {
            var events = new ArrayList<BsonDocument>();
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith("data:")) {
                    var event = BsonDocument.parse(line.substring(5));
                    events.add(event);
                    var description = event.get("updateDescription");
                    if (description != null && description.toString().contains("the end")) {
                        return settled(events);
                    }
                }
            }
            throw new IOException("the stream has ended: " + events);
        }

        /// MongoDB looks the document of an update up when it tells of the update: a later change may already show in
        /// it. Only the last event of a document has a content that does not depend on time.
        private static List<String> settled(List<BsonDocument> events) {
            var later = new HashSet<BsonValue>();
            for (var event : events.reversed()) {
                boolean last = later.add(event.get("documentKey"));
                if (!last && event.getString("operationType").getValue().equals("update")) {
                    event.remove("fullDocument");
                }
            }
            return events.stream().map(BsonDocument::toJson).toList();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
