package org.restheart.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.core.security.TestGateway;
import org.restheart.core.server.RawClient;
import org.restheart.testkit.Opened;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// How much room and how many workers imports of one account take, and when they end.
@WithMongo
class ImportBoundsTest {
    private static final String REALM =
            "mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-hashed-password: false}\n";
    private static final String MORE = "imports: {db: $db, max-bytes-per-account: 20000000, max-bytes: 30000000}\n"
            + "digestAuthMechanism: {enabled: true, realm: test, domain: localhost,"
            + " authenticator: mongoRealmAuthenticator}\n";

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.startWithRealm(mongo, REALM, MORE);
        gateway.database().createCollection("into");
        gateway.permit("{_id: 1, roles: ['importer'], predicate: \"path-prefix('/into')\","
                + " mongo: {allowWriteMode: true}}");
    }

    @BeforeEach
    void clear() {
        for (var name : List.of("into", "_imports", "_imports.parts")) {
            gateway.collection(name).deleteMany(new BsonDocument());
        }
        gateway.collection("users").deleteMany(BsonDocument.parse("{roles: 'importer'}"));
        for (var name : List.of("one", "two")) {
            addUser(name);
        }
    }

    private static void addUser(String name) {
        gateway.insert("users", "{_id: '" + name + "', password: 'pw', roles: ['importer']}");
    }

    private static TestClient lines(String name) {
        return gateway.user(name).with("Content-Type", "application/x-ndjson");
    }

    private static String begin(String name, String content) {
        var answer = lines(name).send("POST", "/_imports?into=/into", content);
        assertStatus(202, answer);
        return answer.headers().firstValue("Location").orElseThrow();
    }

    private static String state(TestClient client, String location) {
        return BsonDocument.parse(client.get(location).body())
                .getString("state", new BsonString("gone"))
                .getValue();
    }

    private static long parts() {
        return gateway.collection("_imports.parts").countDocuments();
    }

    private static void insertJob(String id, String owner, String state, long bytes) {
        gateway.database()
                .getCollection("_imports")
                .insertOne(new Document("_id", id)
                        .append("owner", owner)
                        .append("payer", owner)
                        .append("into", "/into")
                        .append("upsert", false)
                        .append("state", state)
                        .append("bytes", bytes)
                        .append("by", "another gateway")
                        .append("until", new Date(0))
                        .append("begun", new Date()));
    }

    @Test
    void imports_of_an_account_and_all_imports_take_bounded_room() {
        var large = ("{\"a\": \"" + "x".repeat(1_000_000) + "\"}\n").repeat(24);
        var refused = lines("one").send("POST", "/_imports?into=/into", large);
        assertStatus(413, refused);
        assertThat(parts()).isZero();
        assertThat(gateway.user("one").get("/_imports").body()).isEqualTo("[]");
        insertJob("full", "somebody else", "running", 29_990_000);
        var crowded = lines("one").send("POST", "/_imports?into=/into", large.substring(0, large.length() / 8));
        assertStatus(503, crowded);
        assertThat(crowded.headers().firstValue("Retry-After")).isPresent();
        assertThat(parts()).isZero();
    }

    /// What is refused may take more room than what was sent.
    @Test
    void reasons_beyond_the_room_of_the_account_are_counted_and_not_listed() {
        gateway.insert("into", "{_id: 1}");
        var owner = ownerOf("one", "{\"_id\": 1}\n");
        insertJob("full", owner, "done", 19_940_000);
        var location = begin("one", "{\"_id\": 1}\n".repeat(900));
        await().until(() -> state(gateway.user("one"), location).equals("done"));
        assertThat(gateway.user("one").get(location).body()).contains("\"refused\": 900");
        assertThat(gateway.user("one").get(location + "/errors").body()).isEmpty();
        assertThat(gateway.collection("_imports")
                        .find(new BsonDocument("_id", id(location)))
                        .first()
                        .getNumber("bytes")
                        .longValue())
                .isLessThan(10_000);
    }

    private static BsonString id(String location) {
        return new BsonString(location.substring(location.lastIndexOf('/') + 1));
    }

    private static String ownerOf(String name, String content) {
        var location = begin(name, content);
        await().until(() -> state(gateway.user(name), location).equals("done"));
        return gateway.collection("_imports")
                .find(new BsonDocument("_id", id(location)))
                .first()
                .getString("owner")
                .getValue();
    }

    @Test
    void imports_that_begin_at_once_are_not_more_than_an_account_may_have() throws Exception {
        try (var clients = new Opened<RawClient>()) {
            for (int i = 0; i < 24; i++) {
                clients.add(beginWithoutContent());
            }
            await().during(Duration.ofSeconds(1)).until(() -> imports() <= 4);
            for (long n = imports(); n < 4; n++) { // of many at once, more may be refused than have to be
                clients.add(beginWithoutContent());
                long more = n + 1;
                await().until(() -> imports() == more);
            }
            assertThat(clients.add(beginWithoutContent()).answer().status()).isEqualTo(429);
        }
        await().until(() -> imports() == 0);
    }

    private static long imports() {
        return gateway.collection("_imports").countDocuments();
    }

    private static RawClient beginWithoutContent() throws IOException {
        return new RawClient(gateway.address())
                .request(
                        "POST /_imports?into=/into",
                        "Authorization: " + TestClient.basic("one", "pw"),
                        "Content-Type: application/x-ndjson",
                        "Content-Length: 100000");
    }

    @Test
    void imports_that_go_on_count_as_well() {
        var owner = ownerOf("one", "{}\n");
        IntStream.range(0, 4)
                .forEach(i -> gateway.database()
                        .getCollection("_imports")
                        .insertOne(new Document("_id", "busy" + i)
                                .append("owner", owner)
                                .append("payer", owner)
                                .append("state", "running")
                                .append("until", new Date(System.currentTimeMillis() + 60_000))
                                .append("begun", new Date())));
        insertJob("idle", owner, "stopped", 0);
        assertStatus(429, gateway.user("one").patch("/_imports/idle", ""));
        assertThat(state(gateway.user("one"), "/_imports/idle")).isEqualTo("stopped");
    }

    @Test
    void imports_of_one_account_leave_workers_to_others(TestMongo mongo) {
        gateway.insert("into", "{_id: 'locked'}");
        try (var session = mongo.client().startSession()) {
            session.startTransaction();
            gateway.collection("into")
                    .updateOne(session, BsonDocument.parse("{_id: 'locked'}"), BsonDocument.parse("{$set: {n: 1}}"));
            var waiting = IntStream.range(0, 4)
                    .mapToObj(_ -> lines("one")
                            .send("POST", "/_imports?into=/into&wm=upsert", "{\"_id\": \"locked\", \"n\": 2}\n")
                            .headers()
                            .firstValue("Location")
                            .orElseThrow())
                    .toList();
            var location = begin("two", "{}\n");
            await().until(() -> state(gateway.user("two"), location).equals("done"));
            assertThat(waiting)
                    .allMatch(each -> state(gateway.user("one"), each).equals("running"));
            waiting.forEach(each -> gateway.user("one").send("DELETE", each, ""));
        }
    }

    @Test
    void an_account_that_was_made_again_has_no_imports_of_the_former_one() {
        var location = begin("one", "{}\n");
        await().until(() -> state(gateway.user("one"), location).equals("done"));
        gateway.collection("users").deleteOne(BsonDocument.parse("{_id: 'one'}"));
        await().until(() -> gateway.user("one").get("/_imports").statusCode() == 401);
        addUser("one");
        await().until(() -> gateway.user("one").get("/_imports").statusCode() == 200);
        assertThat(gateway.user("one").get("/_imports").body()).isEqualTo("[]");
        assertStatus(404, gateway.user("one").get(location));
        assertStatus(404, gateway.user("one").get(location + "/errors"));
        assertStatus(404, gateway.user("one").patch(location, ""));
        assertStatus(404, gateway.user("one").send("DELETE", location, ""));
    }

    @Test
    void an_import_ends_with_its_account_also_when_that_is_made_again() {
        var location = begin("one", "{}\n".repeat(100_000));
        gateway.collection("users").deleteOne(BsonDocument.parse("{_id: 'one'}"));
        addUser("one");
        assertStops(location);
    }

    private static void assertStops(String location) {
        var job = new BsonDocument("_id", id(location));
        await().until(() -> !"running"
                .equals(gateway.collection("_imports")
                        .find(job)
                        .first()
                        .getString("state")
                        .getValue()));
        assertThat(gateway.collection("_imports").find(job).first().toJson())
                .contains("\"stopped\"", "the credentials are no longer good");
    }

    @Test
    void an_import_that_was_begun_with_digest_ends_with_its_account() throws Exception {
        var target = "/_imports?into=/into";
        var answer = gateway.anonymous()
                .with("Content-Type", "application/x-ndjson")
                .with("Authorization", digest("one:test:pw", "POST", target))
                .send("POST", target, "{}\n".repeat(100_000));
        assertStatus(202, answer);
        gateway.collection("users").deleteOne(BsonDocument.parse("{_id: 'one'}"));
        assertStops(answer.headers().firstValue("Location").orElseThrow());
    }

    /// Which account exists must not be told by time.
    @Test
    void a_wrong_digest_costs_as_many_queries_as_one_for_a_name_without_account() throws Exception {
        var database = gateway.database();
        var right = digest("one:test:pw", "GET", "/into");
        assertStatus(200, gateway.anonymous().with("Authorization", right).get("/into"));
        database.runCommand(BsonDocument.parse("{profile: 2}"));
        try {
            var queries = new ArrayList<Long>();
            for (var name : List.of("one", "nobody")) {
                long before = queries();
                var wrong = digest("one:test:wrong", "GET", "/into").replace("\"one\"", "\"" + name + "\"");
                assertStatus(
                        401, gateway.anonymous().with("Authorization", wrong).get("/into"));
                queries.add(queries() - before);
            }
            assertThat(queries).containsExactly(1L, 1L);
        } finally {
            database.runCommand(BsonDocument.parse("{profile: 0}"));
        }
    }

    /// For accounts.
    private static long queries() {
        return gateway.collection("system.profile")
                .countDocuments(BsonDocument.parse("{op: 'query', ns: /\\.users$/}"));
    }

    /// RFC 2617, 3.2.2.
    private static String digest(String a1, String method, String target) throws Exception {
        var nonce = gateway.anonymous().get("/into").headers().allValues("WWW-Authenticate").stream()
                .filter(challenge -> challenge.startsWith("Digest"))
                .map(challenge -> challenge.replaceFirst(".*nonce=\"([^\"]*)\".*", "$1"))
                .findFirst()
                .orElseThrow();
        var response = md5(md5(a1) + ":" + nonce + ":00000001:c:auth:" + md5(method + ":" + target));
        return "Digest username=\"one\", realm=\"test\", nonce=\"" + nonce + "\", uri=\"" + target
                + "\", qop=auth, nc=00000001, cnonce=\"c\", response=\"" + response + "\"";
    }

    private static String md5(String text) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void a_list_of_imports_takes_few_commands() {
        var owner = ownerOf("one", "{}\n");
        IntStream.range(0, 60).forEach(i -> insertJob("job" + i, owner, "done", 0));
        assertThat(TestMongo.profiled(
                        gateway.database(),
                        "{ns: /_imports/}",
                        () -> assertThat(BsonArray.parse(
                                        gateway.user("one").get("/_imports").body()))
                                .hasSize(61)))
                .hasSizeBetween(1, 3);
    }
}
