package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.MongoClients;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.bson.Document;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.ClientTransaction;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What access rules say of a path holds for every spelling under which an app is served, and no definition has the
/// path of another one.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AppPathsTest {
    private static final String THEIRS = "{a}";

    private final TestMongo mongo;

    @AutoClose
    private final ConformanceGateway gateway;

    private final GraphqlClient admin;

    AppPathsTest(TestMongo mongo) {
        this.mongo = mongo;
        this.gateway = GraphqlGateway.start(mongo, "app-cache-ttr: 600000");
        this.admin = new GraphqlClient(gateway, "admin");
        admin.define("one", definition("/hidden/v1/"));
        admin.define("two", definition("open"));
        admin.define("three", definition("").replace("\"descriptor\": {\"uri\": \"\"},", ""));
        admin.define("$four", definition("four").replace("\"four\"", "\"four\", \"enabled\": false"));
    }

    private static String definition(String uri) {
        return """
                {"descriptor": {"uri": "%s"}, "schema": "type Query { a: String }", "mappings": {"Query": {"a": "a"}}}
                """.formatted(uri);
    }

    /// @param uri null for none
    private static Document foreign(String id, String uri) {
        var definition = Document.parse("""
                {"_id": "", "schema": "type Query { b: String }", "mappings": {"Query": {"b": "b"}}}
                """).append("_id", id);
        return uri == null ? definition : definition.append("descriptor", new Document("uri", uri));
    }

    private HttpResponse<String> write(Document... definitions) {
        var texts = List.of(definitions).stream().map(Document::toJson).toList();
        return admin.send("POST", "/defs/gql-apps?wm=upsert", texts.size() == 1 ? texts.getFirst() : texts.toString());
    }

    @AfterEach
    void clear() {
        for (var definition : mongo.database().getCollection("gql-apps").find()) {
            if (!definition.get("mappings", Document.class).toString().contains("a=a")) {
                mongo.database().getCollection("gql-apps").deleteOne(definition);
            }
        }
        admin.send("PATCH", "/defs/gql-apps/three", "{\"descriptor.description\": \"\"}"); // forgets what was cached
    }

    @ParameterizedTest
    @CsvSource({
        "open, 200, 200",
        "open/, 200, 200",
        "hidden/v1, 200, 403",
        "hidden/v1/, 200, 403",
        "hidden/v1//, 200, 403",
        "hidden/v1;x=y, 200, 403",
        "%68idden/v1, 200, 403",
        "/hidden/v1, 404, 404",
        "//hidden/v1, 404, 404",
        ";x/hidden/v1, 404, 404",
        "hidden%2Fv1, 404, 404",
        "hidden%2fv1, 404, 404",
        "hidden%252Fv1, 404, 404",
        "%2Fhidden/v1, 404, 404",
        "hidden//v1, 404, 403",
        "hidden/;x/v1, 404, 403",
        "./hidden/v1, 404, 404",
        "Hidden/v1, 404, 404",
        "open%2F, 404, 404",
        "one, 200, 200",
        "ONE, 404, 404"
    })
    void no_spelling_avoids_a_rule(String path, int admin, int fay) {
        assertThat(status("admin", path)).isEqualTo(admin);
        assertThat(status("fay", path)).isEqualTo(fay);
    }

    private int status(String user, String path) {
        return new GraphqlClient(gateway, user).ask(path, THEIRS).statusCode();
    }

    @ParameterizedTest
    @CsvSource({
        // the path of another, by one's own or by one's id
        "x, one, 409",
        "x, /one/, 409",
        "x, two, 409",
        "x, three, 409",
        "x, $four, 409",
        "x, four, 409",
        "x, hidden/v1, 409",
        "x, hidden/v1/, 409",
        "open, , 409",
        "open, x, 409",
        "four, x, 409",
        // spellings that no request has
        "/three, , 400",
        "three/, , 400",
        "hidden/v1, , 400",
        "hidden//v1, , 400",
        "., , 400",
        "x, hidden//v1, 400",
        "x, hidden/./v1, 400",
        "x, open/../hidden/v1, 400",
        "x, 'hidden/ /v1', 400",
        // others, which have a path of their own and no more
        "/three, x, 200",
        "//three, x, 200",
        "hidden/v1, x, 200",
        "/hidden/v1/, x, 200",
        "hidden%2Fv1, , 200",
        "x, hidden%2Fv1, 200",
        "THREE, , 200",
        "x, OPEN, 200",
        "ｔhree, , 200",
        "_$four, , 200",
        "x, Hidden/v1, 200"
    })
    void a_definition_does_not_get_the_path_of_another(String id, String uri, int status) {
        var written = write(foreign(id, uri));
        assertThat(written.statusCode()).as(written.body()).isEqualTo(status == 200 ? 201 : status);
        requireTheirs();
        if (status == 409) {
            assertThat(written.body()).contains("URI collision: another GraphQL app is already accessible at /");
        }
        var inTheOther = write(foreign("first", "first"), foreign(id, uri));
        assertStatus(status, inTheOther);
        requireTheirs();
    }

    /// Each is answered by its own definition.
    private void requireTheirs() {
        for (var path : List.of("one", "hidden/v1", "two", "open", "three")) {
            assertThat(status("admin", path)).as(path).isEqualTo(200);
        }
        assertThat(status("admin", "four")).isEqualTo(404); // disabled
    }

    @Test
    void no_change_gets_the_path_of_another() {
        assertStatus(201, write(foreign("x", "y")));
        var statuses = new ArrayList<Integer>();
        for (var change : List.of(
                "{\"descriptor.uri\": \"open\"}",
                "{\"descriptor\": {\"uri\": \"one\"}}",
                "{\"$set\": {\"descriptor.uri\": \"/three\"}}",
                "{\"$rename\": {\"wanted\": \"descriptor.uri\"}, \"$unset\": {\"schema\": 1}}",
                "{\"descriptor\": {\"uri\": \"z\"}, \"descriptor\": {\"uri\": \"open\"}}")) {
            var changed = admin.send("PATCH", "/defs/gql-apps/x", change);
            statuses.add(changed.statusCode());
            requireTheirs();
        }
        assertThat(statuses).containsExactly(409, 409, 409, 400, 409);
        assertStatus(
                409, admin.send("PUT", "/defs/gql-apps/x", foreign("x", "open").toJson()));
        requireTheirs();
        statuses.clear();
        for (var twice : List.of(
                "\"descriptor\": {\"uri\": \"z\"}, \"descriptor\": {\"uri\": \"open\"}",
                "\"descriptor\": {\"uri\": \"open\"}, \"descriptor\": {\"uri\": \"z\"}",
                "\"descriptor\": {\"uri\": \"open\", \"uri\": \"z\"}",
                "\"descriptor\": {\"uri\": \"z\", \"uri\": \"open\"}",
                "\"descriptor\": {\"uri\": \"z\", \"_$uri\": \"open\"}",
                "\"descriptor.uri\": \"open\", \"descriptor::uri\": \"open\"",
                "\"descriptor\": [{\"uri\": \"open\"}]",
                "\"descriptor\": {\"uri\": [\"open\"]}")) {
            var text = "{" + twice + ", " + foreign("x", null).toJson().substring(1);
            statuses.add(admin.send("PUT", "/defs/gql-apps/x", text).statusCode());
            requireTheirs();
        }
        assertThat(statuses).isSubsetOf(200, 400, 409);
        assertStatus(
                200, admin.send("PATCH", "/defs/gql-apps/one", "{\"descriptor.description\": \"mine\"}")); // itself
    }

    @Test
    void of_definitions_that_are_written_at_the_same_time_one_gets_the_path() throws Exception {
        var writes = new ArrayList<Callable<Integer>>();
        for (int i = 0; i < 12; i++) {
            var definition = foreign("at-once-" + i, i % 2 == 0 ? "at-once" : "/at-once/");
            writes.add(() -> write(definition).statusCode());
        }
        var statuses = new ArrayList<Integer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var outcome : threads.invokeAll(writes)) {
                statuses.add(outcome.get());
            }
        }
        assertThat(statuses).containsOnly(201, 409).containsOnlyOnce(201);
    }

    @Test
    void no_definition_waits_in_a_transaction_for_the_path_of_another() {
        var transaction = ClientTransaction.begin(admin.client());
        var in = transaction.in("?wm=upsert");
        for (var written : List.of(
                admin.send("PUT", "/defs/gql-apps/x" + in, foreign("x", "new").toJson()),
                admin.send("POST", "/defs/gql-apps" + in, foreign("x", "new").toJson()),
                admin.send("PATCH", "/defs/gql-apps/one" + in, "{\"descriptor.description\": \"mine\"}"),
                admin.send("DELETE", "/defs/gql-apps/one" + in, ""))) {
            assertStatus(409, written);
            assertThat(written.body()).contains("outside of transactions only");
        }
        assertStatus(204, transaction.abort());
    }

    /// Another client of MongoDB keeps a definition locked.
    @Test
    void writes_that_wait_in_mongodb_keep_no_other_definitions_from_being_written() throws Exception {
        assertStatus(201, write(foreign("blocked", "blocked")));
        try (var client = MongoClients.create(mongo.connectionString());
                var session = client.startSession();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            session.startTransaction();
            client.getDatabase(mongo.databaseName())
                    .getCollection("gql-apps")
                    .updateOne(session, new Document("_id", "blocked"), Document.parse("{$set: {locked: true}}"));
            var blocked = IntStream.range(0, 6)
                    .mapToObj(_ -> threads.submit(() -> write(foreign("blocked", "blocked"))))
                    .toList();
            for (int i = 0; i < 5; i++) {
                var written = write(foreign("free" + i, "free" + i));
                assertStatus(201, written);
            }
            var changed = admin.send("PATCH", "/defs/gql-apps/free1", "{\"descriptor.uri\": \"free/1\"}");
            assertStatus(200, changed);
            assertThat(blocked).noneMatch(Future::isDone);
            session.abortTransaction();
            for (var each : blocked) {
                assertThat(each.get().statusCode()).isIn(200, 201, 503);
            }
        }
    }

    @Test
    void changes_and_replacements_of_a_definition_at_the_same_time_all_succeed() throws Exception {
        assertStatus(201, write(foreign("busy", "busy")));
        var writes = new ArrayList<Callable<HttpResponse<String>>>();
        for (int i = 0; i < 6; i++) {
            var change = "{\"descriptor.description\": \"change " + i + "\"}";
            writes.add(() -> write(foreign("busy", "busy")));
            writes.add(() -> admin.send("PATCH", "/defs/gql-apps/busy", change));
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var outcome : threads.invokeAll(writes)) {
                assertThat(outcome.get().statusCode()).as(outcome.get().body()).isIn(200, 201);
            }
        }
    }

    /// With an entity tag as a server assigns it.
    private static Document tagged(Document definition, int seconds) {
        return definition.append("_etag", new ObjectId(new Date(seconds * 1_000L)));
    }

    @Test
    void of_definitions_with_one_path_that_are_stored_in_other_ways_the_oldest_is_served() {
        var apps = mongo.database().getCollection("gql-apps");
        var oldest = tagged(foreign("stored", "shared"), 100);
        apps.insertOne(oldest);
        assertStatus(200, admin.ask("shared", "{b}"));
        apps.insertOne(tagged(Document.parse(definition("x")).append("_id", "shared"), 200)
                .append("descriptor", new Document()));
        apps.insertOne(tagged(Document.parse(definition("/shared")).append("_id", "a"), 300));
        requireServed("shared", "b");
        assertStatus(200, admin.ask("a", THEIRS)); // by its id
        for (var id : List.of("stored", "a")) { // while there are two
            var changed = admin.send("PATCH", "/defs/gql-apps/" + id, "{\"descriptor.description\": \"mine\"}");
            assertStatus(409, changed);
        }

        apps.updateOne(new Document("_id", "stored"), Document.parse("{$set: {'descriptor.enabled': false}}"));
        requireServed("shared", "a");
        apps.replaceOne(new Document("_id", "stored"), oldest);
        apps.updateOne(new Document("_id", "a"), Document.parse("{$unset: {_etag: 1}}")); // by another program
        requireServed("shared", "a");
        apps.updateOne(new Document("_id", "a"), Document.parse("{$set: {'descriptor.enabled': false}}"));
        requireServed("shared", "b");
        for (int i = 0; i < 20; i++) { // as many others as may be that look alike
            apps.insertOne(foreign("/".repeat(i + 1) + "shared", "/x" + i));
        }
        requireServed("shared", "b");
        apps.deleteMany(Document.parse("{_id: {$in: ['shared', 'a']}}"));
    }

    private void requireServed(String path, String field) {
        clearCache();
        for (var each : List.of("a", "b")) {
            assertThat(admin.ask(path, "{" + each + "}").statusCode())
                    .as(each)
                    .isEqualTo(each.equals(field) ? 200 : 400);
        }
    }

    @Test
    void a_declared_path_has_precedence_over_an_id() {
        var apps = mongo.database().getCollection("gql-apps");
        apps.insertOne(foreign("alias", "shared/v2"));
        clearCache();
        assertStatus(200, admin.ask("alias", "{b}"));
        apps.insertOne(Document.parse(definition("alias")).append("_id", "its"));
        clearCache();
        assertStatus(200, admin.ask("alias", THEIRS));
        assertStatus(200, admin.ask("shared/v2", "{b}"));
        apps.deleteOne(new Document("_id", "its"));
    }

    private void clearCache() {
        assertStatus(200, admin.send("PATCH", "/defs/gql-apps/three", "{\"descriptor.description\": \"\"}"));
    }

    /// Definitions are compared as texts, whatever the collation of their collection says.
    @Test
    void a_collation_makes_no_paths_equal() {
        var apps = mongo.database().getCollection("gql-apps");
        var before = apps.find().into(new ArrayList<>());
        try {
            apps.drop();
            mongo.database().runCommand(Document.parse("{create: 'gql-apps', collation: {locale: 'en', strength: 1}}"));
            apps.insertMany(before);
            clearCache();
            for (var i = 0; i < 12; i++) {
                var cases = i;
                var other = "three"
                        .chars()
                        .map(c -> (cases >> (c % 4) & 1) == 1 ? Character.toUpperCase(c) : c)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString();
                if (!other.equals("three")) {
                    assertThat(write(foreign("a" + i, other)).statusCode()).isIn(201, 409);
                }
            }
            requireTheirs();
            assertStatus(409, write(foreign("x", "open")));
        } finally {
            apps.drop();
            apps.insertMany(before);
        }
    }
}
