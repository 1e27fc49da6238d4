package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Content of BSON documents that follow each other, as in the files of `mongodump`; and exports that go on after a
/// document.
@WithMongo
class BsonContentTest {
    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        for (var name : List.of("from", "to", "broken", "twice", "deep", "page", "w")) {
            gateway.database().createCollection(name);
        }
        gateway.insertUsers("{_id: 'own', roles: ['owner']}", "{_id: 'tim', roles: ['team']}");
        gateway.permit("{_id: 1, roles: ['owner'], predicate: \"path-prefix('/w')\","
                + " mongo: {readFilter: {owner: '@user._id'}, writeFilter: {owner: '@user._id'}, checkWritten: true}}");
        gateway.permit("{_id: 2, roles: ['team'], predicate: \"path-prefix('/w') and bson-request-blacklist(owner)\"}");
    }

    private static TestClient bson(TestClient client) {
        return client.with("Content-Type", "application/bson");
    }

    private static byte[] dump(BsonDocument... documents) {
        var out = new ByteArrayOutputStream();
        for (var document : documents) {
            var bytes = new RawBsonDocument(document, new BsonDocumentCodec()).getByteBuffer();
            out.write(bytes.array(), bytes.position(), bytes.remaining());
        }
        return out.toByteArray();
    }

    private static String text(byte[] content) {
        return new String(content, StandardCharsets.UTF_8);
    }

    @Test
    void a_dump_that_was_exported_is_imported_with_every_type() {
        gateway.insert(
                "from",
                "{_id: 1, l: {$numberLong: '7'}, d: {$numberDecimal: '1.10'}, t: {$timestamp: {t: 5, i: 6}}}",
                "{_id: {a: 1}, b: {$binary: {base64: 'AQID', subType: '80'}}, r: {$regularExpression: {pattern: 'x',"
                        + " options: 'i'}}, m: {$minKey: 1}, c: {$code: 'f', $scope: {x: 1}}, u: {$undefined: true},"
                        + " n: [1, [2.0, {k: null}]], at: {$date: '2024-03-12T21:14:22.5Z'}}");
        var admin = gateway.as("admin");
        var dump = admin.with("Accept", "application/bson").sendBytes("GET", "/from?sort=_id", new byte[0]);
        assertThat(dump.headers().firstValue("Content-Type")).contains("application/bson");
        var answer = bson(admin).sendBytes("POST", "/to", dump.body());
        assertThat(answer.statusCode()).as(text(answer.body())).isEqualTo(200);
        assertThat(text(answer.body())).contains("\"inserted\": 2");
        var copies = gateway.collection("to").find().into(new ArrayList<>());
        copies.forEach(copy -> copy.remove("_etag"));
        assertThat(copies)
                .containsExactlyInAnyOrderElementsOf(
                        gateway.collection("from").find().into(new ArrayList<>()));
    }

    @Test
    void a_document_that_is_malformed_does_not_keep_others_from_being_stored() {
        var malformed = dump(BsonDocument.parse("{_id: 2, s: 'abc'}"));
        malformed[malformed.length - 3] = (byte) 'x'; // where the string ends
        malformed[4] = 0x33; // no type
        var content = new ByteArrayOutputStream();
        content.writeBytes(dump(BsonDocument.parse("{_id: 1}")));
        content.writeBytes(malformed);
        content.writeBytes(dump(BsonDocument.parse("{_id: 3}"), BsonDocument.parse("{_id: 1}")));
        var answer = bson(gateway.as("admin")).sendBytes("POST", "/broken", content.toByteArray());
        assertStatus(207, answer);
        assertThat(text(answer.body()))
                .contains("\"inserted\": 2", "{\"line\": 2, \"httpStatus\": 400", "{\"line\": 4, \"httpStatus\": 409");
        content.writeBytes(Arrays.copyOf(dump(BsonDocument.parse("{_id: 5, s: 'abcdef'}")), 12));
        assertStatus(400, bson(gateway.as("admin")).sendBytes("POST", "/broken", content.toByteArray()));
    }

    @Test
    void the_last_value_of_a_name_that_is_there_twice_counts() {
        var content = dump(BsonDocument.parse("{_id: 9, a: 1, b: 2}"));
        content[content.length - 7] = 'a'; // the name of the last field
        assertStatus(200, bson(gateway.as("admin")).sendBytes("POST", "/twice", content));
        assertThat(gateway.collection("twice").find(new Document("_id", 9)).first())
                .containsEntry("a", new BsonInt32(2))
                .doesNotContainKey("b");
    }

    @Test
    void nesting_without_end_and_lengths_that_lie_are_refused() {
        var admin = bson(gateway.as("admin"));
        var nested = nested(20_000);
        var answer = admin.sendBytes("POST", "/deep", nested);
        assertStatus(207, answer);
        assertThat(text(answer.body())).contains("deeper than 100 levels");
        assertStatus(400, admin.sendBytes("POST", "/deep", new byte[] {-1, -1, -1, -1, 0}));
        assertStatus(400, admin.sendBytes("POST", "/deep", new byte[] {5}));
        assertThat(gateway.collection("deep").countDocuments()).isZero();
    }

    /// `{a: {a: … {}}}`, made without recursion.
    private static byte[] nested(int levels) {
        var out = new ByteArrayOutputStream();
        for (int i = levels; i > 0; i--) {
            int length = 5 + i * 8;
            out.writeBytes(new byte[] {(byte) length, (byte) (length >> 8), (byte) (length >> 16), 0, 3, 'a', 0});
        }
        out.writeBytes(new byte[] {5, 0, 0, 0, 0});
        out.writeBytes(new byte[levels]);
        return out.toByteArray();
    }

    @Test
    void rules_hold_for_bson_as_for_lines() {
        var mine = BsonDocument.parse("{_id: 'mine', owner: 'own'}");
        var others = BsonDocument.parse("{_id: 'others', owner: 'tim'}");
        var answer = bson(gateway.user("own")).sendBytes("POST", "/w", dump(mine, others));
        assertStatus(207, answer);
        assertThat(text(answer.body())).contains("{\"line\": 2, \"httpStatus\": 403");
        assertThat(gateway.stored("w", "others")).isNull();
        var looked = bson(gateway.user("tim"))
                .sendBytes("POST", "/w", dump(BsonDocument.parse("{_id: 'a'}"), BsonDocument.parse("{owner: 1}")));
        assertStatus(403, looked);
        assertThat(gateway.stored("w", "a")).isNull();
        var hashed = bson(gateway.as("admin"))
                .sendBytes("POST", "/users", dump(BsonDocument.parse("{_id: 'b', password: 'plain', roles: []}")));
        assertStatus(200, hashed);
        assertThat(gateway.stored("users", "b").getString("password").getValue())
                .startsWith("$2a$");
    }

    @Test
    void an_export_goes_on_after_the_last_document_that_arrived() {
        gateway.insert("page", "{_id: 1}", "{_id: 2}", "{_id: {$numberLong: '3'}}", "{_id: 'x'}");
        var lines = gateway.as("admin").with("Accept", "application/x-ndjson");
        assertThat(lines.get("/page?sort=_id&after=" + TestGateway.encode("{\"_id\": 2}"))
                        .body())
                .isEqualTo("{\"_id\": 3}\n{\"_id\": \"x\"}\n");
        assertThat(lines.get("/page?after=" + TestGateway.encode("{\"_id\": 2}"))
                        .body())
                .isEqualTo("{\"_id\": 1}\n");
        assertStatus(400, lines.get("/page?sort=n&after=" + TestGateway.encode("{\"n\": 2}")));
        assertThat(gateway.as("admin")
                        .with("Accept", "application/bson")
                        .sendBytes("GET", "/page?sort=_id&after=" + TestGateway.encode("{\"_id\": 2}"), new byte[0])
                        .body())
                .isEqualTo(dump(BsonDocument.parse("{_id: {$numberLong: '3'}}"), BsonDocument.parse("{_id: 'x'}")));
    }
}
