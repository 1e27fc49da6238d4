package org.restheart.core.streams;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.restheart.testkit.Statuses.assertStatus;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Authorization of listeners.
@WithMongo
class SecuredStreamsTest {
    private static final String KEY = "0123456789abcdef0123456789abcdef";
    private static final String SECURITY = StreamsGateway.SECURITY + """
        jwtConfigProvider: {key: %s}
        jwtAuthenticationMechanism: {enabled: true}
        originVetoer: {enabled: true, whitelist: ["https://app.example"], ignore-paths: ["/t", "/t/*"]}
        """.formatted(KEY);
    private static final String DEFINITIONS = """
        {"streams": [
          {"uri": "all", "stages": []},
          {"uri": "mine", "stages": [], "applyReadFilter": true, "applyProjection": true,
           "fullDocumentBeforeChange": "whenAvailable"}]}\
        """;

    @AutoClose
    private final StreamsGateway gateway;

    private final String ada = StreamsGateway.basic("ada");

    SecuredStreamsTest(TestMongo mongo) {
        gateway = StreamsGateway.startSecured(mongo, ", change-streams-recheck-ms: 200", SECURITY);
    }

    @BeforeEach
    void prepare() throws Exception {
        gateway.addUser("admin", "admin");
        gateway.addUser("ada", "editor");
        gateway.insert("acl", """
            {_id: 'p', roles: ['editor'], predicate: "path-prefix('/t') or path-prefix('/t2')", priority: 1,
             mongo: {readFilter: {$or: [{owner: 'ada'}, {$expr: {$eq: ['$shared', true]}}]},
                     projectResponse: {secret: 0, 'a.b': 0}}}\
            """);
        assertStatus(201, gateway.send("PUT", "/t", DEFINITIONS, "Authorization", StreamsGateway.basic("admin")));
    }

    private static String token(Instant expires) throws Exception {
        var token = new JWSObject(
                new JWSHeader(JWSAlgorithm.HS256),
                new Payload(Map.of(
                        "iss",
                        "restheart.org",
                        "sub",
                        "eve",
                        "roles",
                        List.of("editor"),
                        "exp",
                        expires.getEpochSecond())));
        token.sign(new MACSigner(KEY));
        return "Bearer " + token.serialize();
    }

    @Test
    void a_stream_ends_when_the_token_ends_that_opened_it() throws Exception {
        var token = token(Instant.now().plusSeconds(3));
        try (var listener = WebSocketListener.open(gateway, "/t/_streams/all", "Authorization", token);
                var events = SseListener.open(gateway, "/t/_streams/all", "Authorization: " + token);
                var lasting = WebSocketListener.open(gateway, "/t/_streams/all", "Authorization", ada)) {
            gateway.insert("t", "{n: 1}");
            assertThat(listener.nextN()).isEqualTo(1);
            assertThat(events.nextN()).isEqualTo(1);
            assertThat(listener.closeCode()).isEqualTo(1008);
            assertThatThrownBy(events::next).isInstanceOf(IOException.class);
            gateway.insert("t", "{n: 2}");
            assertThat(lasting.nextN()).isEqualTo(1);
            assertThat(lasting.nextN()).isEqualTo(2);
            assertThat(lasting.isClosed()).isFalse();
        }
    }

    @Test
    void a_stream_ends_when_its_permission_does() throws Exception {
        try (var listener = WebSocketListener.open(gateway, "/t/_streams/all", "Authorization", ada);
                var root = WebSocketListener.open(
                        gateway, "/t/_streams/all", "Authorization", StreamsGateway.basic("admin"))) {
            gateway.collection("acl").deleteMany(new BsonDocument());
            assertThat(listener.closeCode()).isEqualTo(1008);
            assertThat(root.isClosed()).isFalse();
        }
    }

    @Test
    void a_stream_ends_when_its_account_loses_its_role() throws Exception {
        try (var listener = WebSocketListener.open(gateway, "/t/_streams/all", "Authorization", ada)) {
            gateway.collection("users").updateOne(eq("_id", "ada"), set("roles", List.of("nobody")));
            assertThat(listener.closeCode()).isEqualTo(1008);
        }
    }

    @Test
    void handshakes_need_credentials_permission_and_an_acceptable_origin() throws Exception {
        assertThat(gateway.handshake("/t/_streams/all")).isEqualTo(401);
        assertThat(gateway.handshake("/t/_streams/all?access_token="
                        + token(Instant.now().plusSeconds(60)).substring(7)))
                .isEqualTo(401);
        assertThat(gateway.handshake("/t/_streams/all", "Authorization", ada)).isEqualTo(101);
        gateway.send(
                "PUT",
                "/u",
                "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}",
                "Authorization",
                StreamsGateway.basic("admin"));
        assertThat(gateway.handshake("/u/_streams/all", "Authorization", ada)).isEqualTo(403);
        assertThat(gateway.handshake(
                        "/u/_streams/all",
                        "Authorization",
                        StreamsGateway.basic("admin"),
                        "Origin",
                        "https://evil.example"))
                .isEqualTo(403);
    }

    @Test
    void a_listener_receives_nothing_that_its_rule_does_not_allow_it_to_read() throws Exception {
        try (var mine = WebSocketListener.open(gateway, "/t/_streams/mine", "Authorization", ada);
                var root = WebSocketListener.open(
                        gateway, "/t/_streams/mine", "Authorization", StreamsGateway.basic("admin"))) {
            gateway.insert("t", "{_id: 1, owner: 'bob', secret: 1}");
            gateway.insert("t", "{_id: 2, owner: 'ada', secret: 's', a: {b: 1, c: 2}}");
            gateway.insert("t", "{_id: 3, owner: 'bob', shared: true}");
            update(1, "{$set: {secret: 2}}");
            update(2, "{$set: {secret: 3, 'a.b': 4, 'a.c': 5}, $unset: {owner: 1}}"); // out of sight
            update(2, "{$set: {owner: 'ada', a: {b: 6}, 'x': 1}, $unset: {secret: 1}}"); // and back

            assertThat(mine.next()).isEqualTo(BsonDocument.parse("""
                {fullDocument: {_id: 2, owner: 'ada', a: {c: 2}}, documentKey: {_id: 2},
                 operationType: 'insert'}\
                """));
            assertThat(mine.next().getDocument("documentKey")).isEqualTo(BsonDocument.parse("{_id: 3}"));
            var back = mine.next();
            while (back.getDocument("updateDescription")
                    .getDocument("updatedFields")
                    .isEmpty()) {
                back = mine.next(); // the look-up may find the document as it is by then
            }
            assertThat(back).isEqualTo(BsonDocument.parse("""
                {fullDocument: {_id: 2, a: {}, owner: 'ada', x: 1}, documentKey: {_id: 2},
                 updateDescription: {updatedFields: {owner: 'ada', x: 1}, removedFields: []},
                 operationType: 'update'}\
                """));

            // not earlier: the look-up of an update finds nothing once its document is deleted
            gateway.collection("t").deleteOne(eq("_id", 1));
            gateway.collection("t").deleteOne(eq("_id", 2));
            gateway.insert("t", "{_id: 4, owner: 'ada'}");
            assertThat(mine.next().getDocument("documentKey")).isEqualTo(BsonDocument.parse("{_id: 4}"));
            assertThat(root.next().getDocument("fullDocument"))
                    .isEqualTo(BsonDocument.parse("{_id: 1, owner: 'bob', secret: 1}"));
            gateway.collection("t").drop();
            assertThat(mine.next()).isEqualTo(BsonDocument.parse("{operationType: 'drop'}"));
        }
    }

    private void update(int id, String json) {
        gateway.collection("t").updateOne(eq("_id", id), BsonDocument.parse(json));
    }

    @Test
    void no_listener_gets_the_events_of_another() throws Exception {
        gateway.addUser("bob", "editor");
        assertStatus(201, gateway.send("PUT", "/t2", """
            {"streams": [
              {"uri": "own", "stages": [{"$match": {"fullDocument.owner": {"$var": "@user._id"}}}]},
              {"uri": "asked", "stages": [{"$match": {"fullDocument.word": {"$var": "word"}}}]}]}\
            """, "Authorization", StreamsGateway.basic("admin")));
        var bob = StreamsGateway.basic("bob");
        var asked = "/t2/_streams/asked?avars=%7B%22word%22:%22";
        try (var ofAda = WebSocketListener.open(gateway, "/t2/_streams/own", "Authorization", ada);
                var ofBob = WebSocketListener.open(gateway, "/t2/_streams/own", "Authorization", bob);
                // the two words have the same hash code
                var ofAa = WebSocketListener.open(gateway, asked + "Aa%22%7D", "Authorization", ada);
                var ofBb = WebSocketListener.open(gateway, asked + "BB%22%7D", "Authorization", ada)) {
            gateway.insert("t2", "{n: 2, owner: 'bob', word: 'BB'}");
            gateway.insert("t2", "{n: 1, owner: 'ada', word: 'Aa'}");
            assertThat(ofAda.nextN()).isEqualTo(1);
            assertThat(ofBob.nextN()).isEqualTo(2);
            assertThat(ofAa.nextN()).isEqualTo(1);
            assertThat(ofBb.nextN()).isEqualTo(2);
        }
    }

    @Test
    void passwords_of_accounts_are_in_no_event() throws Exception {
        assertStatus(
                200,
                gateway.send(
                        "PUT",
                        "/users",
                        "{\"streams\": [{\"uri\": \"all\", \"stages\": [{\"$addFields\": {\"fullDocument.x\":"
                                + " \"$fullDocument.password\"}}]}]}",
                        "Authorization",
                        StreamsGateway.basic("admin")));
        try (var listener = WebSocketListener.open(
                gateway, "/users/_streams/all", "Authorization", StreamsGateway.basic("admin"))) {
            gateway.addUser("bob", "viewer");
            assertThat(listener.next().getDocument("fullDocument"))
                    .isEqualTo(BsonDocument.parse("{_id: 'bob', roles: ['viewer']}"));
            gateway.collection("users").updateOne(eq("_id", "bob"), set("password", "new"));
            assertThat(listener.next().getDocument("updateDescription").getDocument("updatedFields"))
                    .isEmpty();
        }
    }

    private String afterwards(StreamsGateway at, String stream, String id) throws IOException {
        try (var events = SseListener.open(at, stream, "Authorization: " + ada, "Last-Event-ID: " + id)) {
            return events.status().contains("200") ? events.next().id() : events.status();
        }
    }

    /// MongoDB's own tokens hold the key of the changed document, in hexadecimal digits.
    @Test
    void a_token_reveals_nothing_that_the_rule_of_a_listener_hides(TestMongo mongo) throws Exception {
        var key = HexFormat.of().withUpperCase().formatHex("ada-4711".getBytes(StandardCharsets.UTF_8));
        String plain;
        String sealed;
        String longer;
        try (var another = gateway.another(mongo, "", SECURITY);
                var all = SseListener.open(gateway, "/t/_streams/all", "Authorization: " + ada);
                var mine = SseListener.open(gateway, "/t/_streams/mine", "Authorization: " + ada);
                var elsewhere = SseListener.open(another, "/t/_streams/mine", "Authorization: " + ada)) {
            gateway.insert("t", "{_id: 'ada-4711', owner: 'ada'}");
            gateway.insert("t", "{_id: 'ada-4711-and-more', owner: 'ada'}");
            plain = all.next().id();
            sealed = mine.next().id();
            longer = mine.next().id();
            assertThat(plain).contains(key);
            assertThat(sealed).doesNotContain(key).hasSameSizeAs(longer);
            assertThat(elsewhere.next().id()).isEqualTo(sealed);
            assertThat(afterwards(another, "/t/_streams/mine", sealed)).isEqualTo(longer);
        }
        assertThat(afterwards(gateway, "/t/_streams/mine", sealed)).isEqualTo(longer);
        assertThat(afterwards(gateway, "/t/_streams/all", plain)).contains("_data");
        var other = sealed.charAt(sealed.length() / 2) == 'A' ? 'B' : 'A';
        for (var made : List.of(
                plain, // tells whether there was such a change
                sealed.substring(0, sealed.length() / 2) + other + sealed.substring(sealed.length() / 2 + 1),
                "{\"_data\":\"s1.\"}",
                "{\"_data\":\"s1.AAAA\"}",
                "{\"_data\":\"s1.%\"}")) {
            assertThat(afterwards(gateway, "/t/_streams/mine", made)).as(made).contains("400");
        }
        assertThat(afterwards(gateway, "/t/_streams/all", sealed)).contains("400");
        gateway.send("PUT", "/t2", DEFINITIONS, "Authorization", StreamsGateway.basic("admin"));
        assertThat(afterwards(gateway, "/t2/_streams/mine", sealed)).contains("400");
        assertStatus(
                403,
                gateway.send("GET", "/_properties/_resume_tokens", "", "Authorization", StreamsGateway.basic("admin")));
    }

    @Test
    void one_account_cannot_take_all_cursors(TestMongo mongo) throws Exception {
        try (var few = gateway.another(mongo, ", change-streams-max-cursors: 4", SECURITY)) {
            few.send(
                    "PUT",
                    "/t",
                    "{\"streams\": [{\"uri\": \"of\", \"stages\": [{\"$match\": {\"x\": {\"$var\": \"n\"}}}]}]}",
                    "Authorization",
                    StreamsGateway.basic("admin"));
            try (var one = SseListener.open(few, "/t/_streams/of?avars=%7B%22n%22:1%7D", "Authorization: " + ada);
                    var two = SseListener.open(few, "/t/_streams/of?avars=%7B%22n%22:2%7D", "Authorization: " + ada);
                    var same = SseListener.open(few, "/t/_streams/of?avars=%7B%22n%22:2%7D", "Authorization: " + ada);
                    var three = SseListener.open(few, "/t/_streams/of?avars=%7B%22n%22:3%7D", "Authorization: " + ada);
                    var other = SseListener.open(
                            few,
                            "/t/_streams/of?avars=%7B%22n%22:3%7D",
                            "Authorization: " + StreamsGateway.basic("admin"))) {
                assertThat(one.status()).contains(" 200 ");
                assertThat(two.status()).contains(" 200 ");
                assertThat(same.status()).contains(" 200 ");
                assertThat(three.status()).contains(" 429 ");
                assertThat(other.status()).contains(" 200 ");
            }
        }
    }
}
