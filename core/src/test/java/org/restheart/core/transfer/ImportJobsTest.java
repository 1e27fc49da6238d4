package org.restheart.core.transfer;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Imports that go on when their client, or their gateway, has gone.
@WithMongo
class ImportJobsTest {
    private static final String IDENTITY = "6563a1b2c3d4e5f601234567";

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "imports: {db: $db}");
        for (var name : List.of("lines", "w", "half", "kinds", "looked", "marked")) {
            gateway.database().createCollection(name);
        }
        for (var name : List.of("own", "tim", "lost")) {
            gateway.insert(
                    "users",
                    "{_id: '" + name + "', _identity: {$oid: '" + IDENTITY + "'}, password: '" + TestGateway.hash("pw")
                            + "', roles: ['" + name + "']}");
        }
        gateway.collection("users")
                .updateOne(
                        BsonDocument.parse("{_id: 'admin'}"),
                        BsonDocument.parse("{$set: {_identity: {$oid: '" + IDENTITY + "'}}}"));
        gateway.permit("{_id: 1, roles: ['own'], predicate: \"path-prefix('/w')\","
                + " mongo: {writeFilter: {owner: '@user._id'}, checkWritten: true}}");
        gateway.permit("{_id: 2, roles: ['lost'], predicate: \"path-prefix('/half')\"}");
        gateway.permit("{_id: 3, roles: ['own'], predicate: \"path-prefix('/looked') and bson-request-blacklist(x)\"}");
        gateway.permit("{_id: 4, roles: ['own'], predicate: \"path-prefix('/half') and bson-request-blacklist(x)\"}");
    }

    private static TestClient lines(TestClient client) {
        return client.with("Content-Type", "application/x-ndjson");
    }

    /// The import's status when it has ended.
    private static BsonDocument ended(TestClient client, String location) {
        return Awaitility.await()
                .until(
                        () -> BsonDocument.parse(client.get(location).body()),
                        status -> !status.getString("state").getValue().equals("running"));
    }

    private static String begin(TestClient client, String into, String content) {
        var answer = client.send("POST", "/_imports?into=" + into, content);
        assertStatus(202, answer);
        return answer.headers().firstValue("Location").orElseThrow();
    }

    @Test
    void an_array_that_breaks_off_between_two_documents_is_no_success() {
        var admin = gateway.as("admin").with("Content-Type", "application/json");
        for (var broken : List.of("[{\"a\": 1}, {\"a\": 2}", "[{\"a\": 1},\n", "[")) {
            var answer = admin.send("POST", "/_imports?into=/kinds", broken);
            assertStatus(400, answer);
            assertThat(answer.body()).contains("The array does not end: there is no ]");
        }
        assertThat(gateway.collection("kinds").countDocuments(BsonDocument.parse("{a: {$in: [1, 2]}}")))
                .isZero();
    }

    @Test
    void an_import_of_nothing_is_refused() {
        Map.of("text/csv", "a,bc,d", "application/x-ndjson", "", "application/bson", "", "application/json", "[]")
                .forEach((type, content) -> {
                    var answer = gateway.as("admin")
                            .with("Content-Type", type)
                            .send("POST", "/_imports?into=/kinds", content);
                    assertStatus(400, answer);
                    assertThat(answer.body()).contains("no data provided");
                    assertThat(answer.body().contains("curl: --data-binary")).isEqualTo(type.equals("text/csv"));
                });
    }

    @Test
    void what_follows_an_array_is_not_ignored() {
        var admin = gateway.as("admin").with("Content-Type", "application/json");
        var after = "There is content after the end of the array, in line ";
        var contents = Map.of(
                "[{\"a\": 1}]\n{\"a\": 2}", after + 2,
                "[{\"a\": 1}]\n\n[{\"a\": 2}]", after + 3,
                "[{\"a\": 1}]]", after + 1,
                "{\"a\": 1}\n]", "The ] in line 2 closes no array",
                "]", "The ] in line 1 closes no array");
        contents.forEach((content, refusal) -> {
            var answer = admin.send("POST", "/_imports?into=/kinds", content);
            assertStatus(400, answer);
            assertThat(answer.body()).contains(refusal);
        });
    }

    @Test
    void what_can_be_stored_is_stored_and_the_rest_is_listed_by_line() {
        var content = IntStream.range(0, 2_500)
                .mapToObj(i -> i == 1_700 ? "{oops\n" : i == 2_000 ? "{\"_id\": 1}\n" : "{\"_id\": " + i + "}\n")
                .collect(Collectors.joining());
        var admin = gateway.as("admin");
        var location = begin(lines(admin), "/lines", content);
        var status = ended(admin, location);
        assertThat(status.toJson())
                .contains("\"state\": \"done\"", "\"documents\": 2500", "\"stored\": 2498", "\"refused\": 2");
        assertThat(gateway.collection("lines").countDocuments()).isEqualTo(2_498);
        var errors = admin.get(location + "/errors");
        assertThat(errors.headers().firstValue("Content-Type")).contains("application/x-ndjson");
        assertThat(errors.body().lines().toList()).hasSize(2);
        assertThat(errors.body())
                .contains("\"line\": 1701, \"httpStatus\": 400", "\"line\": 2001, \"httpStatus\": 409");
        var progress = admin.with("Accept", "text/event-stream, */*;q=0.1").get(location);
        assertThat(progress.headers().firstValue("X-Accel-Buffering")).contains("no");
        assertThat(progress.body()).startsWith("data: {").endsWith("\n\n").contains("\"state\": \"done\"");
        assertThat(admin.get("/_imports").body()).contains(location.substring(location.lastIndexOf('/') + 1));

        for (var other : List.of(gateway.as("ada"), gateway.user("own"))) {
            assertStatus(404, other.get(location));
            assertStatus(404, other.get(location + "/errors"));
            assertStatus(404, other.patch(location, "{}"));
            assertStatus(404, other.send("DELETE", location, ""));
            assertStatus(200, other.get("/_imports"));
            assertThat(other.get("/_imports").body()).doesNotContain(location.substring(location.lastIndexOf('/') + 1));
        }
        assertStatus(401, gateway.anonymous().get(location));
        assertStatus(409, admin.patch(location, "{}"));
        assertStatus(204, admin.send("DELETE", location, ""));
        assertStatus(404, admin.get(location));
    }

    @Test
    void a_file_of_another_format_is_refused_before_it_has_many_errors() {
        var admin = gateway.as("admin");
        var before = admin.get("/_imports");
        assertStatus(200, before);
        var answer = lines(admin).send("POST", "/_imports?into=/lines", "x\n".repeat(20_000));
        assertStatus(400, answer);
        assertThat(answer.body()).contains("more than 10000 documents are malformed: is the Content-Type right?");
        assertThat(admin.get("/_imports").body()).isEqualTo(before.body());
    }

    /// Names are repeated in messages and documents, and long numbers take a quadratic time.
    @Test
    void names_and_numbers_of_uploads_have_a_length() {
        var csv = gateway.as("admin").with("Content-Type", "text/csv");
        var name = csv.send("POST", "/kinds", "c".repeat(100_000) + ":int\n" + "x\n".repeat(900));
        assertStatus(400, name);
        assertThat(name.body())
                .contains("names a field with more than 1000 characters")
                .hasSizeLessThan(1_000);
        var names = csv.send("POST", "/kinds", ("n".repeat(900) + ",").repeat(100) + "\n1\n");
        assertStatus(400, names);
        long began = System.nanoTime();
        var number = csv.send("POST", "/kinds", "d:decimal\n" + "1".repeat(1_000_000) + "\n");
        assertThat(number.body()).contains("The column d has a cell that is no decimal: 111");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Patience.relative(Duration.ofSeconds(10)));
        var line = lines(gateway.as("admin")).send("POST", "/kinds", "{\"$" + "x".repeat(1_000_000) + "\": 1}\n");
        assertThat(line.body()).contains("errors").hasSizeLessThan(10_000);
    }

    @Test
    void a_misspelt_parameter_is_refused() {
        var answer = lines(gateway.as("admin")).send("POST", "/_imports?into=/kinds&vm=upsert", "{}\n");
        assertStatus(400, answer);
        assertThat(answer.body()).contains("unknown parameter vm; did you mean wm?");
    }

    @Test
    void a_csv_file_with_another_separator_is_refused() {
        var csv = gateway.as("admin").with("Content-Type", "text/csv");
        var answer = csv.send("POST", "/_imports?into=/kinds", "_id;n\n1;7\n");
        assertStatus(400, answer);
        assertThat(answer.body()).contains("The first line is one column, with ; in it.");
    }

    @Test
    void a_byte_order_mark_is_skipped() {
        var admin = gateway.as("admin");
        var json =
                begin(admin.with("Content-Type", "application/json"), "/marked", "\uFEFF[{\"_id\": 1}, {\"_id\": 2}]");
        assertThat(ended(admin, json).toJson()).contains("\"stored\": 2", "\"refused\": 0");
        var lines = begin(lines(admin), "/marked", "\uFEFF{\"_id\": 3}\n{\"_id\": 4}\n");
        assertThat(ended(admin, lines).toJson()).contains("\"stored\": 2", "\"refused\": 0");
        assertStatus(200, lines(admin).send("POST", "/marked", "\uFEFF{\"_id\": 5}\n"));
        var single = begin(admin.with("Content-Type", "application/json"), "/marked", "{}");
        assertThat(ended(admin, single).toJson()).contains("\"stored\": 1");
        assertThat(gateway.collection("marked").countDocuments()).isEqualTo(6);
    }

    @Test
    void every_format_is_taken() {
        var admin = gateway.as("admin");
        var csv = begin(admin.with("Content-Type", "text/csv"), "/kinds", "_id,n:long\n1,7\n2,x\n");
        assertThat(ended(admin, csv).toJson()).contains("\"stored\": 1", "\"refused\": 1");
        var json = begin(admin.with("Content-Type", "application/json"), "/kinds", "[{\"_id\": 3},\n{\"_id\": 4}]");
        assertThat(ended(admin, json).toJson()).contains("\"stored\": 2");
        var upsert = begin(lines(admin), "/kinds&wm=upsert", "{\"_id\": 3, \"n\": 1}\n{\"_id\": 5}\n");
        assertThat(ended(admin, upsert).toJson()).contains("\"stored\": 2");
        assertThat(gateway.collection("kinds").countDocuments()).isEqualTo(4);
        assertStatus(415, admin.with("Content-Type", "text/plain").send("POST", "/_imports?into=/kinds", "x"));
    }

    @Test
    void an_import_writes_what_its_account_may_write_and_nothing_else() {
        var own = gateway.user("own");
        var location = begin(lines(own), "/w", "{\"owner\": \"own\"}\n{\"owner\": \"tim\"}\n");
        assertThat(ended(own, location).toJson()).contains("\"stored\": 1", "\"refused\": 1");
        assertThat(own.get(location + "/errors").body()).contains("\"line\": 2, \"httpStatus\": 403");
        assertStatus(403, lines(own).send("POST", "/_imports?into=/lines", "{}\n"));
        assertStatus(403, lines(gateway.user("tim")).send("POST", "/_imports?into=/w", "{}\n"));
        assertStatus(404, lines(gateway.as("admin")).send("POST", "/_imports?into=/nowhere", "{}\n"));
        var looked = begin(lines(own), "/looked", "{\"a\": 1}\n{\"x\": 1}\n");
        assertThat(ended(own, looked).toJson()).contains("\"state\": \"stopped\"", "403");
        assertThat(gateway.collection("looked").countDocuments()).isZero();
        assertStatus(403, gateway.as("admin").get("/_imports.parts"));
    }

    /// As it is left by a gateway that has died while it wrote the part: some of it is stored.
    private static String interrupted(String owner, List<BsonDocument> documents, int stored) {
        var tag = new ObjectId();
        var content = new ByteArrayOutputStream();
        for (var document : documents) {
            var bytes = new RawBsonDocument(document, new BsonDocumentCodec()).getByteBuffer();
            content.write(bytes.array(), bytes.position(), bytes.remaining());
        }
        documents
                .subList(0, stored)
                .forEach(document ->
                        gateway.collection("half").insertOne(document.clone().append("_etag", new BsonObjectId(tag))));
        var id = "import-of-" + owner + "-" + new ObjectId();
        gateway.database()
                .getCollection("_imports")
                .insertOne(new Document("_id", id)
                        .append("owner", "mongoRealmAuthenticator " + owner + " " + IDENTITY)
                        .append("payer", "mongoRealmAuthenticator " + owner + " " + IDENTITY)
                        .append("into", "/half")
                        .append("upsert", false)
                        .append("state", "running")
                        .append("by", "a gateway that has died")
                        .append("documents", (long) documents.size())
                        .append("until", new Date(0))
                        .append("begun", new Date()));
        gateway.database()
                .getCollection("_imports.parts")
                .insertOne(new Document("job", id)
                        .append("n", 0)
                        .append("tag", tag)
                        .append("content", new BsonBinary(content.toByteArray()))
                        .append(
                                "lines",
                                IntStream.rangeClosed(1, documents.size())
                                        .mapToObj(BsonInt64::new)
                                        .toList())
                        .append("refused", List.of()));
        return "/_imports/" + id;
    }

    @Test
    void after_the_death_of_a_gateway_nothing_is_lost_or_doubled_or_miscounted() {
        gateway.insert("half", "{_id: 'taken'}");
        var documents = new ArrayList<BsonDocument>();
        IntStream.range(0, 10).forEach(i -> documents.add(BsonDocument.parse("{_id: " + i + "}")));
        documents.add(BsonDocument.parse("{_id: 2}")); // twice in the file
        documents.add(BsonDocument.parse("{_id: 'taken'}"));
        var location = interrupted("admin", documents, 6);
        var admin = gateway.as("admin");
        assertThat(admin.get(location).body()).contains("\"state\": \"interrupted\"", "\"stored\": 0");
        assertStatus(202, admin.patch(location, ""));
        assertThat(ended(admin, location).toJson()).contains("\"state\": \"done\"", "\"stored\": 10", "\"refused\": 2");
        assertThat(admin.get(location + "/errors").body()).contains("\"line\": 11", "\"line\": 12");
        assertThat(gateway.collection("half").countDocuments(BsonDocument.parse("{_id: {$lt: 100}}")))
                .isEqualTo(10);
    }

    /// It is written as an array.
    @Test
    void nor_is_content_miscounted_at_which_rules_look() {
        var documents = IntStream.range(3_000, 3_004)
                .mapToObj(i -> BsonDocument.parse("{_id: " + i + "}"))
                .toList();
        var location = interrupted("own", documents, 2);
        var own = gateway.user("own");
        assertStatus(202, own.patch(location, ""));
        assertThat(ended(own, location).toJson()).contains("\"state\": \"done\"", "\"stored\": 4", "\"refused\": 0");
    }

    /// The part is sent again because of the document that is locked.
    @Test
    void a_part_that_is_sent_again_overwrites_nothing_that_has_changed_since(TestMongo mongo) {
        gateway.insert("again", "{_id: 'locked', n: 0}", "{_id: 'changed', n: 0}", "{_id: 'same', n: 0}");
        var admin = gateway.as("admin");
        String location;
        try (var holding = mongo.client().startSession()) {
            holding.startTransaction();
            gateway.collection("again")
                    .updateOne(holding, BsonDocument.parse("{_id: 'locked'}"), BsonDocument.parse("{$set: {n: 5}}"));
            location = begin(
                    lines(admin),
                    "/again&wm=upsert",
                    "{\"_id\": \"changed\", \"n\": 1}\n{\"_id\": \"same\", \"n\": 1}\n{\"_id\": \"new\", \"n\": 1}\n"
                            + "{\"_id\": \"locked\", \"n\": 1}\n");
            Awaitility.await().until(() -> n("changed") == 1 && n("same") == 1 && n("new") == 1);
            var held = leasedUntil(location);
            assertStatus(200, admin.patch("/again/changed", "{\"n\": 2}"));
            // the lease is renewed behind each attempt that has failed
            Awaitility.await().until(() -> !leasedUntil(location).equals(held));
        }
        assertThat(ended(admin, location).toJson()).contains("\"state\": \"done\"");
        assertThat(n("locked")).isEqualTo(1);
        assertThat(n("same")).isEqualTo(1);
        assertThat(n("new")).isEqualTo(1);
        assertThat(n("changed")).isEqualTo(2);
        assertThat(admin.get(location + "/errors").body())
                .contains("\"line\": 1, \"httpStatus\": 409", "changed after the first attempt")
                .doesNotContain("\"line\": 2");
    }

    private static BsonValue leasedUntil(String location) {
        var id = location.substring(location.lastIndexOf('/') + 1);
        return gateway.stored("_imports", id).get("until");
    }

    private static int n(String id) {
        var stored = gateway.stored("again", id);
        return stored == null ? -1 : stored.getNumber("n").intValue();
    }

    @Test
    void after_the_death_of_a_gateway_a_changed_document_is_not_replaced_again() {
        var documents = new ArrayList<BsonDocument>();
        IntStream.range(0, 4).forEach(i -> documents.add(BsonDocument.parse("{_id: " + (2_000 + i) + ", n: 1}")));
        var location = interrupted("admin", documents, 2);
        var id = location.substring(location.lastIndexOf('/') + 1);
        gateway.collection("_imports").updateOne(eq("_id", id), set("upsert", true));
        gateway.collection("_imports.parts").updateOne(eq("job", id), set("tried", new Date()));
        gateway.insert("half", "{_id: 2002, n: 0}"); // not yet replaced, and not changed since
        var admin = gateway.as("admin");
        assertStatus(200, admin.patch("/half/2000?id_type=NUMBER", "{\"n\": 2}"));
        assertStatus(202, admin.patch(location, ""));
        assertThat(ended(admin, location).toJson()).contains("\"state\": \"done\"", "\"stored\": 3", "\"refused\": 1");
        assertThat(gateway.collection("half")
                        .find(BsonDocument.parse("{_id: {$gte: 2000, $lt: 3000}}"))
                        .sort(BsonDocument.parse("{_id: 1}"))
                        .map(document -> document.getNumber("n").intValue())
                        .into(new ArrayList<>()))
                .containsExactly(2, 1, 1, 1);
    }

    @Test
    void who_has_lost_the_right_does_not_go_on() {
        var location = interrupted("lost", List.of(BsonDocument.parse("{_id: 1000}")), 0);
        gateway.collection("acl").deleteOne(BsonDocument.parse("{_id: 2}"));
        var lost = gateway.user("lost");
        Awaitility.await().until(() -> lost.get("/half").statusCode() == 403);
        assertStatus(202, lost.patch(location, ""));
        assertThat(ended(lost, location).toJson()).contains("\"state\": \"stopped\"", "\"reason\": \"403");
        assertThat(gateway.collection("half").countDocuments(BsonDocument.parse("{_id: 1000}")))
                .isZero();
    }
}
