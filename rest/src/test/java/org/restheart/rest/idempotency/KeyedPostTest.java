package org.restheart.rest.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.access.Account;
import org.restheart.http.access.Caller;
import org.restheart.rest.DataApi;
import org.restheart.rest.DataApi.Answer;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Inserts that clients repeat because they got no response, sent to two gateways.
@WithMongo
class KeyedPostTest {
    private static final String HEADER = "Idempotency-Key";
    private static final int RETRIES = 24;

    private final TestMongo mongo;
    private final DataApi one;
    private final DataApi other;
    private final MongoCollection<Document> stored;
    private final MongoCollection<Document> records;
    private final String coll;

    KeyedPostTest(TestMongo mongo) {
        this.mongo = mongo;
        one = DataApi.over(mongo.client());
        other = DataApi.over(mongo.client());
        var db = mongo.newDatabaseName();
        coll = "/" + db + "/c";
        stored = mongo.client().getDatabase(db).getCollection("c");
        records = mongo.client().getDatabase(db).getCollection("_idempotency");
    }

    @BeforeEach
    void a_collection() {
        one.send("PUT " + coll.substring(0, coll.lastIndexOf('/')));
        one.send("PUT " + coll);
    }

    /// What a client can tell answers apart by.
    private record Seen(int status, String etag, String location, String text) {
        static Seen of(Answer answer) {
            return new Seen(
                    answer.status(),
                    answer.header("ETag").orElse(""),
                    answer.header("Location").orElse(""),
                    answer.text());
        }
    }

    private Answer post(DataApi gateway, String key, String body) {
        return gateway.with(HEADER, key).send("POST " + coll, body);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{n: 1}", "{_id: 'a', n: 1}", "[{n: 1}]", "[{_id: 'a', n: 1}]"})
    void retries_that_race_each_other_store_one_document_and_hear_the_same(String body) throws Exception {
        var retries = new ArrayList<Callable<Seen>>();
        for (int i = 0; i < RETRIES; i++) {
            var gateway = i % 2 == 0 ? one : other;
            retries.add(() -> Seen.of(post(gateway, "k", body)));
        }
        var seen = new ArrayList<Seen>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var answer : threads.invokeAll(retries)) {
                seen.add(answer.get());
            }
        }
        assertThat(new HashSet<>(seen)).hasSize(1);
        assertThat(seen.getFirst().status()).isIn(200, 201);
        assertThat(stored.countDocuments()).isEqualTo(1);
    }

    @Test
    void a_retry_is_answered_the_same_when_the_document_has_changed_or_gone() {
        var first = Seen.of(post(one, "k", "{_id: 'a', n: 1}"));
        one.send("PATCH " + coll + "/a", "{n: 2}");
        assertThat(Seen.of(post(other, "k", "{_id: 'a', n: 1}"))).isEqualTo(first);
        one.send("DELETE " + coll + "/a");
        assertThat(Seen.of(post(other, "k", "{_id: 'a', n: 1}"))).isEqualTo(first);
        assertThat(stored.countDocuments()).isZero();
    }

    @Test
    void a_report_with_errors_is_repeated_word_for_word() {
        stored.insertOne(new Document("_id", "b"));
        var body = "[{_id: 'a'}, {_id: 'b'}, {_id: 'a'}, {n: 1}]";
        var first = Seen.of(post(one, "k", body));
        assertThat(first.status()).isEqualTo(207);
        assertThat(Seen.of(post(other, "k", body))).isEqualTo(first);
        assertThat(stored.countDocuments()).isEqualTo(3);
    }

    @Test
    void another_request_with_the_same_key_is_refused() {
        post(one, "k", "{n: 1}");
        assertThat(post(other, "k", "{n: 2}").status()).isEqualTo(422);
        assertThat(one.with(HEADER, "k")
                        .send("POST " + coll + "?wm=upsert", "{n: 1}")
                        .status())
                .isEqualTo(422);
        assertThat(stored.countDocuments()).isEqualTo(1);
    }

    @Test
    void keys_belong_to_their_caller() {
        var ada = one.as(Caller.of(new Account("ada", List.of(), new BsonDocument())));
        var bob = one.as(Caller.of(new Account("bob", List.of(), new BsonDocument())));
        var answers = List.of(post(ada, "k", "{n: 1}"), post(bob, "k", "{n: 1}"), post(one, "k", "{n: 1}"));
        assertThat(answers.stream().map(Answer::etag).distinct()).hasSize(3);
        assertThat(stored.countDocuments()).isEqualTo(3);
    }

    @Test
    void an_attempt_under_way_lets_its_retries_wait_and_then_conflict() {
        post(one, "k", "{n: 1}");
        records.updateOne(
                new Document(),
                List.of(
                        new Document("$unset", "answer"),
                        new Document("$set", new Document("until", new Date(System.currentTimeMillis() + 60_000)))));
        var answer = post(other, "k", "{n: 1}");
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.header("Retry-After")).isPresent();
        assertThat(stored.countDocuments()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{n: 1}", "{_id: 'a', n: 1}", "[{n: 1}, {n: 2}]", "[{_id: 'a'}, {n: 2}]"})
    void what_a_gateway_wrote_before_it_died_is_found_by_the_retry(String body) {
        var first = Seen.of(post(one, "k", body));
        var count = stored.countDocuments();
        records.updateOne(
                new Document(),
                List.of(
                        new Document("$unset", "answer"),
                        new Document("$set", new Document("until", new Date(System.currentTimeMillis() - 1)))));
        var second = Seen.of(post(other, "k", body));
        assertThat(second).isEqualTo(first);
        assertThat(stored.countDocuments()).isEqualTo(count);
    }

    @Test
    void what_was_not_written_before_the_gateway_died_is_written_by_the_retry() {
        post(one, "k", "[{_id: 'a'}, {n: 2}]");
        stored.deleteOne(new Document("_id", "a"));
        records.updateOne(
                new Document(),
                List.of(
                        new Document("$unset", "answer"),
                        new Document("$set", new Document("until", new Date(System.currentTimeMillis() - 1)))));
        assertThat(post(other, "k", "[{_id: 'a'}, {n: 2}]")
                        .document()
                        .getInt32("inserted")
                        .getValue())
                .isEqualTo(2);
        assertThat(stored.countDocuments()).isEqualTo(2);
    }

    @Test
    void a_refused_insert_leaves_its_key_free() {
        stored.insertOne(new Document("_id", "a"));
        assertThat(post(one, "k", "{_id: 'a'}").status()).isEqualTo(409);
        assertThat(records.countDocuments()).isZero();
        assertThat(post(one, "k", "{_id: 'b'}").status()).isEqualTo(201);
    }

    /// The first attempt has written, but got no answer; the second one is refused for another reason.
    @ParameterizedTest
    @ValueSource(strings = {"{n: 1}", "{_id: 'a', n: 1}"})
    void a_refusal_of_a_retry_does_not_make_a_new_request_of_the_next_one(String body) {
        var first = Seen.of(post(one, "k", body));
        records.updateOne(
                new Document(),
                List.of(new Document("$unset", "answer"), new Document("$set", new Document("until", new Date(0)))));
        var database = mongo.client().getDatabase(stored.getNamespace().getDatabaseName());
        database.runCommand(Document.parse("{collMod: 'c', validator: {n: {$ne: 1}}}"));
        assertThat(post(other, "k", body).status()).isEqualTo(400);
        database.runCommand(Document.parse("{collMod: 'c', validator: {}}"));

        assertThat(Seen.of(post(other, "k", body))).isEqualTo(first);
        assertThat(stored.countDocuments()).isEqualTo(1);
    }

    /// The command that stores the answer is executed twice, which takes longer than retries wait for each other: its
    /// first reply is lost, and the second one says that there is nothing left to change.
    @Test
    void an_answer_that_is_stored_already_is_the_one_of_the_attempt() {
        var settings = MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(mongo.connectionString()))
                .addCommandListener(new CommandListener() {
                    @Override
                    public void commandStarted(CommandStartedEvent event) {
                        var command = event.getCommand();
                        if (event.getCommandName().equals("update")
                                && command.getString("update").getValue().equals("_idempotency")) {
                            var same = new BsonDocument("update", command.get("update"))
                                    .append("updates", command.get("updates"));
                            mongo.client().getDatabase(event.getDatabaseName()).runCommand(same);
                            await().pollDelay(Duration.ofMillis(5_100)).until(() -> true);
                        }
                    }
                })
                .build();
        var client = MongoClients.create(settings); // open to the end, like tasks in the background that use it
        var answer = post(DataApi.over(client), "k", "{n: 1}");
        assertThat(answer.status()).isEqualTo(201);
        assertThat(Seen.of(post(other, "k", "{n: 1}"))).isEqualTo(Seen.of(answer));
        assertThat(stored.countDocuments()).isEqualTo(1);
    }

    @Test
    void generated_ids_are_object_ids_of_the_time() {
        long before = System.currentTimeMillis() / 1000;
        post(one, "k", "[{}, {}, {}]");
        assertThat(stored.find().map(document -> document.getObjectId("_id")))
                .hasSize(3)
                .doesNotHaveDuplicates()
                .allMatch(id -> Math.abs(id.getTimestamp() - before) < 60);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\"\"", "a\"b", "ä"})
    void a_key_that_is_none_is_refused(String key) {
        assertThat(post(one, key, "{}").status()).isEqualTo(400);
        assertThat(stored.countDocuments()).isZero();
    }

    @Test
    void a_key_has_at_most_255_characters() {
        assertThat(post(one, "k".repeat(255), "{}").status()).isEqualTo(201);
        assertThat(post(one, "k".repeat(256), "{}").status()).isEqualTo(400);
    }

    @Test
    void quotes_around_a_key_are_not_part_of_it() {
        assertThat(Seen.of(post(one, "\"k\"", "{}"))).isEqualTo(Seen.of(post(one, "k", "{}")));
    }

    @Test
    void without_a_key_nothing_is_recorded() {
        one.send("POST " + coll, "{}");
        one.send("POST " + coll, "[{}, {}]");
        assertThat(records.countDocuments()).isZero();
        assertThat(stored.countDocuments()).isEqualTo(3);
    }

    @Test
    void more_than_a_record_can_answer_is_refused() {
        var body = "[" + String.join(",", Collections.nCopies(5001, "{}")) + "]";
        assertThat(post(one, "k", body).status()).isEqualTo(413);
        assertThat(stored.countDocuments()).isZero();
    }

    @Test
    void an_unacknowledged_insert_cannot_be_retried_safely() {
        var answer = one.with(HEADER, "k").send("POST " + coll + "?writeConcern=UNACKNOWLEDGED", "{}");
        assertThat(answer.status()).isEqualTo(400);
    }

    @Test
    void records_are_forgotten_after_a_day_and_hold_neither_key_nor_content() {
        post(one, "my-secret-key", "{secret: 'content'}");
        assertThat(records.listIndexes().map(index -> index.get("expireAfterSeconds", Number.class)))
                .anyMatch(seconds -> seconds != null && seconds.longValue() == 86_400);
        assertThat(records.find().first())
                .asString()
                .doesNotContain("my-secret-key")
                .doesNotContain("content'");
    }
}
