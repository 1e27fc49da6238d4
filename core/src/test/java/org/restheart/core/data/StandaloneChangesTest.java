package org.restheart.core.data;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.IndexOptions;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.testkit.Opened;

/// Changes under a JSON Schema on a server without transactions.
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StandaloneChangesTest {
    @AutoClose
    private final Opened<AutoCloseable> opened = new Opened<>();

    private ConformanceGateway gateway;
    private MongoCollection<Document> items;
    private MongoClient client;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        var mongod = opened.add(OwnStandalone.start(folder));
        client = opened.add(MongoClients.create(mongod.connectionString()));
        items = client.getDatabase("db").getCollection("items");
        gateway = opened.add(ConformanceGateway.start(
                mongod.connectionString(),
                "mongo: {mongo-mounts: [{what: '*', where: /}]}\ncsvLoader: {enabled: true}"));
        assertStatus(201, send("PUT", "/db", ""));
        assertStatus(201, send("PUT", "/db/_schemas", ""));
        assertStatus(
                201,
                send(
                        "PUT",
                        "/db/_schemas/s?wm=upsert",
                        "{\"properties\": {\"n\": {\"type\": \"integer\", \"maximum\": 50},"
                                + " \"m\": {\"type\": \"integer\"}}, \"maxProperties\": 6}"));
        assertStatus(201, send("PUT", "/db/items", "{\"jsonSchema\": {\"schemaId\": \"s\"}}"));
    }

    @BeforeEach
    void fill() {
        items.deleteMany(new Document());
        items.insertMany(IntStream.range(0, 150)
                .mapToObj(i -> new Document("_id", i).append("n", i % 50).append("l", i % 2 == 0 ? "even" : "odd"))
                .toList());
    }

    private HttpResponse<String> send(String method, String path, String content) {
        return gateway.as("admin").json(method, path, content);
    }

    private HttpResponse<String> patch(int id, String more, String content) {
        return send("PATCH", "/db/items/" + id + "?id_type=NUMBER" + more, content);
    }

    private Document stored(int id) {
        return items.find(new Document("_id", id)).first();
    }

    private static String filter(String filter) {
        return "filter=" + URLEncoder.encode(filter, UTF_8);
    }

    @Test
    void a_document_is_changed_as_mongodb_changes_it_unless_its_schema_refuses_the_result() {
        assertStatus(200, patch(7, "", "{\"$inc\": {\"n\": 43}, \"$push\": {\"a\": 1}}"));
        assertThat(stored(7)).containsEntry("n", 50).containsEntry("a", List.of(1));
        var tag = stored(7).getObjectId("_etag");
        var refused = patch(7, "", "{\"$inc\": {\"n\": 1}}");
        assertStatus(400, refused);
        assertThat(refused.body()).contains("violates schema 's'");
        assertThat(stored(7)).containsEntry("n", 50).containsEntry("_etag", tag);
        assertStatus(200, patch(7, "", "[{\"$set\": {\"n\": {\"$subtract\": [\"$n\", 20]}}}]"));
        assertThat(stored(7)).containsEntry("n", 30);
    }

    @Test
    void modes_conditions_and_filters_are_those_of_other_writes() {
        assertStatus(404, patch(900, "", "{\"n\": 1}"));
        assertStatus(400, patch(901, "&wm=upsert", "{\"n\": \"x\"}"));
        assertThat(stored(901)).isNull();
        assertStatus(201, patch(901, "&wm=upsert", "{\"n\": 1}"));
        assertStatus(409, patch(901, "&wm=insert", "{\"n\": \"x\"}"));
        assertStatus(201, patch(902, "&wm=insert", "{\"n\": 2}"));
        assertThat(stored(902)).containsEntry("n", 2);
        assertStatus(404, patch(1, "&" + filter("{\"n\": 9}"), "{\"n\": 2}"));
        var stale = gateway.as("admin")
                .with("Content-Type", "application/json")
                .with("If-Match", "0123456789abcdef01234567")
                .send("PATCH", "/db/items/901?id_type=NUMBER", "{\"n\": \"x\"}");
        assertStatus(412, stale);
        items.updateOne(new Document("_id", 1), Document.parse("{$set: {a: [{k: 1, m: 1}, {k: 2, m: 1}]}}"));
        assertStatus(200, patch(1, "&" + filter("{\"a.k\": 2}"), "{\"a.$.m\": 7}"));
        assertThat(stored(1).toJson()).contains("{\"k\": 2, \"m\": 7}");
    }

    @Test
    void of_many_documents_those_that_the_schema_refuses_stay_as_they_are() {
        var answer = send("PATCH", "/db/items/*?" + filter("{\"l\": \"even\"}"), "{\"$inc\": {\"n\": 10}}");
        assertStatus(207, answer);
        var report = Document.parse(answer.body());
        assertThat(report).containsEntry("matched", 75).containsEntry("modified", 63);
        assertThat(report.getList("errors", Document.class))
                .hasSize(12)
                .allSatisfy(error -> assertThat(error).containsEntry("httpStatus", 400));
        assertThat(items.countDocuments(Document.parse("{n: {$gt: 50}}"))).isZero();
        assertThat(stored(40)).containsEntry("n", 50);
        assertThat(stored(42)).containsEntry("n", 42);
        assertThat(stored(41)).containsEntry("n", 41);
    }

    private HttpResponse<String> load(String more, String rows) {
        return gateway.as("admin")
                .with("Content-Type", "text/csv")
                .send("POST", "/csv?db=db&coll=items&id=0&update=true" + more, rows);
    }

    @Test
    void rows_of_a_file_change_all_their_documents_or_none() {
        var refused = load("", "_id,n\n1,11\n2,x\n3,13\n");
        assertStatus(400, refused);
        assertThat(refused.body()).contains("violates schema 's'");
        assertThat(stored(1)).containsEntry("n", 1);
        var loaded = load("", "_id,n\n1,11\n1000,1\n1,12\n2,13\n");
        assertStatus(200, loaded);
        assertThat(loaded.headers().firstValue("X-Matched-Count")).contains("3");
        assertThat(loaded.headers().firstValue("X-Inserted-Count")).contains("1");
        assertThat(stored(1)).containsEntry("n", 12).containsEntry("l", "odd").containsKey("_etag");
        assertThat(stored(2)).containsEntry("n", 13);
        assertThat(stored(1_000)).containsEntry("n", 1);
        assertStatus(400, load("", "_id,n\n1,7\n1,x\n1,8\n")); // each state is checked
        assertThat(stored(1)).containsEntry("n", 12);
        var conditions = load("&upsert=false", "_id,n,_filter\n1,1,{\"n\": 12}\n2,1,{\"n\": 12}\n1001,1,{}\n");
        assertStatus(200, conditions);
        assertThat(conditions.headers().firstValue("X-Matched-Count")).contains("1");
        assertThat(stored(1)).containsEntry("n", 1);
        assertThat(stored(2)).containsEntry("n", 13);
        assertThat(stored(1_001)).isNull();
        assertThat(client.getDatabase("db").listCollectionNames()).noneMatch(name -> name.startsWith("_dry_runs."));
    }

    /// Every change counts once, though some come by the gateway and some do not, and nobody sees what is refused.
    @Test
    void no_change_of_others_is_lost_and_nothing_refused_is_ever_visible() throws Exception {
        items.updateOne(new Document("_id", 3), Document.parse("{$set: {n: 0, m: 0}}"));
        var done = new AtomicBoolean();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var reader = threads.submit(() -> {
                int most = 0;
                while (!done.get()) {
                    most = Math.max(most, stored(3).getInteger("n"));
                }
                return most;
            });
            var others = threads.submit(() -> {
                for (int i = 0; i < 200; i++) {
                    items.updateOne(new Document("_id", 3), Document.parse("{$inc: {m: 1}}"));
                    Thread.sleep(2);
                }
                return null;
            });
            var changes = new ArrayList<Future<Integer>>();
            for (int i = 0; i < 40; i++) {
                int step = i % 2 == 0 ? 1 : 100;
                changes.add(threads.submit(() -> increase(step)));
                Thread.sleep(10);
            }
            for (int i = 0; i < changes.size(); i++) {
                assertThat(changes.get(i).get()).isEqualTo(i % 2 == 0 ? 200 : 400);
            }
            others.get();
            done.set(true);
            assertThat(reader.get()).isLessThanOrEqualTo(50);
            assertThat(stored(3)).containsEntry("n", changes.size() / 2).containsEntry("m", 200);
        }
    }

    /// Comes again while others change the document all the time (409), which they do not do for long.
    private int increase(int step) {
        int status = 409;
        while (status == 409) {
            status = patch(3, "", "{\"$inc\": {\"n\": " + step + "}}").statusCode();
        }
        return status;
    }

    @Test
    void nothing_is_left_of_dry_runs_and_no_request_names_them() {
        var database = client.getDatabase("db");
        database.createCollection("_dry_runs.5f0000000000000000000000"); // of a gateway that died
        assertStatus(400, patch(1, "", "{\"n\": \"x\"}"));
        assertStatus(200, patch(1, "", "{\"n\": 2}"));
        assertThat(database.listCollectionNames()).noneMatch(name -> name.startsWith("_dry_runs."));
        assertStatus(403, send("PUT", "/db/_dry_runs.x", ""));
    }

    @Test
    void a_collation_decides_what_matches_and_not_what_was_changed() {
        var database = client.getDatabase("db");
        database.getCollection("names").drop();
        database.runCommand(Document.parse("{create: 'names', collation: {locale: 'en', strength: 2}}"));
        var names = database.getCollection("names");
        names.insertOne(Document.parse("{_id: 'Ada', v: 'X', n: 1}"));
        assertStatus(200, send("PATCH", "/db/names", "{\"jsonSchema\": {\"schemaId\": \"s\"}}"));
        var changed = send("PATCH", "/db/names/ada?" + filter("{\"v\": \"x\"}"), "{\"n\": 2}");
        assertStatus(200, changed);
        assertThat(names.find().first()).containsEntry("_id", "Ada").containsEntry("n", 2);
    }

    @Test
    void what_the_server_refuses_is_told_as_for_other_writes() {
        items.createIndex(new Document("u", 1), new IndexOptions().unique(true).sparse(true));
        assertStatus(200, patch(1, "", "{\"u\": 1}"));
        assertStatus(409, patch(2, "", "{\"u\": 1}"));
        assertStatus(400, patch(2, "", "{\"$inc\": {\"l\": 1}}"));
    }
}
