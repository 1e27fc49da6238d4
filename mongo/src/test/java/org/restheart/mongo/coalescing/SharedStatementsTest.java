package org.restheart.mongo.coalescing;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.mongodb.MongoWriteConcernException;
import com.mongodb.MongoWriteException;
import com.mongodb.WriteConcern;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.restheart.bson.fields.Update;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.write.Precondition;
import org.restheart.mongo.write.RetryableStatements;
import org.restheart.mongo.write.SessionCollection;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteMode;
import org.restheart.mongo.write.WriteOutcome.Changed;
import org.restheart.mongo.write.WriteOutcome.Created;
import org.restheart.mongo.write.WriteOutcome.Duplicate;
import org.restheart.mongo.write.WriteOutcome.Missing;
import org.restheart.testkit.TestMongo;

/// Which writes share a command, and what each request is told of its statement.
class SharedStatementsTest extends CoalescedWritesFixture {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    SharedStatementsTest(TestMongo mongo) {
        super(mongo);
    }

    @Test
    void a_value_that_is_taken_and_a_change_that_cannot_be_made_fail_alone() throws Exception {
        insert("unique", 40);
        collection("unique")
                .createIndex(
                        Indexes.ascending("u"), new IndexOptions().unique(true).sparse(true));
        collection("unique").updateOne(new BsonDocument("_id", new BsonInt32(0)), BsonDocument.parse("{$set: {u: 1}}"));
        ManyClients.run(OPERATIONS / 4, () -> {
            int id = ThreadLocalRandom.current().nextInt(1, 40);
            switch (ThreadLocalRandom.current().nextInt(4)) {
                case 0 ->
                    assertThat(update(target("unique", id), "{$set: {u: 1}}", WriteMode.UPDATE))
                            .isInstanceOf(Duplicate.class);
                case 1 ->
                    assertThat(catchThrowable(() -> update(target("unique", id), "{$push: {n: 1}}", WriteMode.UPDATE)))
                            .isInstanceOf(CompletionException.class)
                            .cause()
                            .isInstanceOfSatisfying(
                                    MongoWriteException.class,
                                    e -> assertThat(e.getError().getMessage()).contains("must be an array"));
                default ->
                    assertThat(update(target("unique", id), "{$inc: {n: 1}}", WriteMode.UPDATE))
                            .isEqualTo(new Changed());
            }
            return null;
        });
    }

    @Test
    void a_document_that_a_transaction_holds_keeps_no_other_waiting() {
        int attempts = 1;
        while (!isNoOtherKeptWaiting("held" + attempts)) {
            assertThat(++attempts)
                    .as("others took longer than the one may wait")
                    .isLessThan(10);
        }
    }

    /// @return false if the held document was given up meanwhile, after its time limit, as on a very busy machine
    private boolean isNoOtherKeptWaiting(String name) {
        insert(name, 10);
        try (var session = mongo.client().startSession()) {
            session.startTransaction();
            collection(name).updateOne(session, BsonDocument.parse("{_id: 0}"), BsonDocument.parse("{$inc: {n: 1}}"));
            var held = target(name, 0).updating(change("{$inc: {n: 1}}"), WriteMode.UPDATE);
            var waiting = submit(updates, held);
            var others = IntStream.range(1, 10)
                    .mapToObj(id ->
                            submit(updates, target(name, id).updating(change("{$inc: {n: 1}}"), WriteMode.UPDATE)))
                    .toList();
            assertThat(others)
                    .allSatisfy(other -> assertThat(other.orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                                    .join()
                                    .outcome())
                            .isEqualTo(new Changed()));
            await().atMost(TIMEOUT)
                    .until(() -> waiting.isDone() || updates.statement(held).isEmpty());
            if (waiting.isCompletedExceptionally()) {
                return false;
            }
            assertThat(waiting).isNotDone();
            assertThat(updates.statement(held))
                    .as("a second write of it would join a command")
                    .isEmpty();
            session.commitTransaction();
            if (catchThrowable(waiting::join) != null) {
                return false;
            }
            assertThat(waiting.join().outcome()).isEqualTo(new Changed());
            assertThat(n(name, 0)).isEqualTo(2);
            IntStream.range(1, 10).forEach(id -> assertThat(n(name, id)).isOne());
            await().atMost(TIMEOUT).until(() -> updates.statement(held).isPresent());
        }
        return true;
    }

    @Test
    void statements_that_changed_nothing_are_distinguished_from_those_that_matched_nothing() {
        insert("same", 3);
        var update = new Update.Operators(BsonDocument.parse("{$set: {n: 0}}"));
        var outcomes = IntStream.of(0, 1, 2, 3, 4)
                .mapToObj(id -> submit(updates, target("same", id).updating(update, WriteMode.UPDATE)))
                .map(outcome -> outcome.join().outcome())
                .toList();
        assertThat(outcomes).containsExactly(new Changed(), new Changed(), new Changed(), new Missing(), new Missing());
    }

    @Test
    void mongodb_reports_executed_statements_also_one_by_one() {
        insert("account", 4);
        var statements = IntStream.of(0, 7, 1, 8, 2, 9, 3)
                .mapToObj(id ->
                        BsonDocument.parse("{q: {_id: " + id + "}, u: {$inc: {n: 1}}, upsert: " + (id == 9) + "}"))
                .toList();
        var namespace = collection("account").getNamespace();
        try (var sent = new RetryableStatements(mongo.client(), "update", namespace, statements)) {
            var all = IntStream.range(0, 7).boxed().toList();
            assertThat(sent.executed(all, WriteConcern.MAJORITY).results()).isEmpty();
            assertThat(sent.send(WriteConcern.MAJORITY, 10_000).n()).isEqualTo(5);
            assertThat(sent.send(WriteConcern.MAJORITY, 10_000).n())
                    .as("sent again")
                    .isEqualTo(5);
            var results = sent.executed(all, WriteConcern.MAJORITY).results();
            assertThat(results.keySet()).containsExactlyInAnyOrder(0, 2, 4, 5, 6);
            for (int number : all) {
                var alone =
                        sent.executed(List.of(number), WriteConcern.MAJORITY).results();
                assertThat(alone.get(number)).isEqualTo(results.get(number));
            }
        }
        IntStream.range(0, 4).forEach(id -> assertThat(n("account", id)).isOne());
    }

    @Test
    void what_may_take_long_or_belongs_to_a_session_goes_alone() {
        insert("alone", 1);
        var pipeline = new Update.Pipeline(List.of(BsonDocument.parse("{$set: {n: 1}}")));
        assertThat(updates.statement(target("alone", 0).updating(pipeline, WriteMode.UPDATE)))
                .isEmpty();
        assertThat(updates.statement(target("alone", 0).updating(change("{$pull: {a: {b: /x/}}}"), WriteMode.UPDATE)))
                .isEmpty();
        assertThat(updates.statement(
                        target("alone", 0).updating(change("{$addToSet: {a: {$each: [1, 2]}}}"), WriteMode.UPDATE)))
                .isEmpty();
        assertThat(updates.statement(target("alone", 0).updating(change("{$addToSet: {a: 1}}"), WriteMode.UPDATE)))
                .isPresent();
        assertThat(updates.statement(
                        target("alone", 0).updating(change("{$push: {a: {$each: [1], $sort: 1}}}"), WriteMode.UPDATE)))
                .isEmpty();
        assertThat(updates.statement(target("alone", 0).updating(change("{$set: {'a.$[].b': 1}}"), WriteMode.UPDATE)))
                .isEmpty();
        assertThat(updates.statement(target("alone", 0).updating(change(unset(50)), WriteMode.UPDATE)))
                .isPresent();
        assertThat(updates.statement(target("alone", 0).updating(change(unset(100)), WriteMode.UPDATE)))
                .isEmpty();
        var member = target("alone", new BsonInt32(0), "{a: {$in: " + numbers(300) + "}}", new Precondition.None());
        assertThat(updates.statement(member.updating(change("{$inc: {n: 1}}"), WriteMode.UPDATE)))
                .isPresent();
        var compared = target("alone", new BsonInt32(0), "{a: {$all: " + numbers(300) + "}}", new Precondition.None());
        assertThat(updates.statement(compared.updating(change("{$inc: {n: 1}}"), WriteMode.UPDATE)))
                .isEmpty();
        assertThat(deletes.statement(compared.deleting())).isEmpty();
        var slow = target(
                "alone", new BsonInt32(0), "{$expr: {$gt: [{$size: {$range: [0, 9]}}, 1]}}", new Precondition.None());
        assertThat(updates.statement(slow.updating(change("{$inc: {n: 1}}"), WriteMode.UPDATE)))
                .isEmpty();
        assertThat(deletes.statement(slow.deleting())).isEmpty();
        var large = raw(new BsonDocument("_id", new BsonInt32(0))
                .append("a", new BsonBinary(new byte[CoalescingConfig.DEFAULT.maxBatchBytes() / 4])));
        assertThat(updates.statement(target("alone", 0).replacing(large, WriteMode.UPDATE)))
                .isEmpty();
        try (var session = mongo.client().startSession()) {
            var target = new TargetDocument(
                    new SessionCollection(collection("alone"), Optional.of(session)),
                    new BsonInt32(0),
                    new BsonDocument(),
                    new Precondition.None());
            assertThat(deletes.statement(target.deleting())).isEmpty();
            assertThat(updates.statement(target.updating(change("{$inc: {n: 1}}"), WriteMode.UPDATE)))
                    .isEmpty();
        }
    }

    private static String unset(int paths) {
        return IntStream.range(0, paths).mapToObj(i -> "a" + i + ": 1").collect(joining(", ", "{$unset: {", "}}"));
    }

    private static String numbers(int count) {
        return IntStream.range(0, count).mapToObj(Integer::toString).collect(joining(", ", "[", "]"));
    }

    /// MongoDB 6.0 does not end an upsert that waits for a transaction, whatever its time limit.
    @Test
    void an_upsert_that_waits_for_a_transaction_keeps_no_other_caller_waiting() {
        insert("upserts", 3);
        try (var session = mongo.client().startSession()) {
            session.startTransaction();
            IntStream.range(10, 14).forEach(id -> collection("upserts").insertOne(session, raw("{_id: " + id + "}")));
            var waiting = CallerScope.call(
                    "eve",
                    () -> IntStream.range(0, 8) // twice as many as there may be commands
                            .mapToObj(i -> submit(
                                    updates,
                                    target("upserts", 10 + i % 4).updating(change("{$inc: {n: 1}}"), WriteMode.UPSERT)))
                            .toList());
            for (var mode : List.of(WriteMode.UPDATE, WriteMode.UPSERT)) {
                for (int id = 0; id < 3; id++) {
                    var write = target("upserts", id).updating(change("{$inc: {n: 1}}"), mode);
                    assertThat(CallerScope.call("ada", () -> submit(updates, write)))
                            .succeedsWithin(Duration.ofSeconds(20)) // much less than a transaction may last
                            .satisfies(result -> assertThat(result.outcome()).isEqualTo(new Changed()));
                }
            }
            assertThat(waiting).noneMatch(CompletableFuture::isDone);
            session.abortTransaction();
            assertThat(waiting)
                    .allSatisfy(write -> assertThat(write.join().outcome()).isIn(new Created(), new Changed()));
        }
    }

    private void awaitCommands(String collection, int count) {
        var match =
                "{active: true, ns: '" + collection(collection).getNamespace().getFullName() + "'}";
        await().atMost(TIMEOUT)
                .until(() -> TestMongo.operations(mongo.client(), match).size() == count);
    }

    /// MongoDB does not send a reply of more than 16 MiB, which has the keys of all errors.
    @Test
    void errors_that_are_too_large_for_a_reply_are_those_of_their_requests() {
        insert("large", 10);
        var large = collection("large");
        large.createIndex(
                Indexes.ascending("g", "k"),
                new IndexOptions().unique(true).partialFilterExpression(BsonDocument.parse("{g: {$exists: true}}")));
        large.updateMany(
                BsonDocument.parse("{_id: {$gte: 6}}"),
                new BsonDocument("$set", new BsonDocument("k", new BsonString("k".repeat(6 << 20)))));
        try (var session = mongo.client().startSession()) {
            session.startTransaction();
            large.updateMany(session, BsonDocument.parse("{_id: {$lt: 4}}"), BsonDocument.parse("{$inc: {n: 1}}"));
            var change = change("{$inc: {n: 1}, $set: {g: 1}}");
            for (int id = 0; id < 4; id++) { // as many commands as there may be: others wait, and leave together
                submit(updates, target("large", id).updating(change("{$inc: {n: 1}}"), WriteMode.UPDATE));
                awaitCommands("large", id + 1);
            }
            var together = IntStream.range(4, 11)
                    .mapToObj(id -> submit(
                            updates,
                            target("large", id)
                                    .updating(id == 4 ? change("{$inc: {n: 1}}") : change, WriteMode.UPDATE)))
                    .toList();
            var outcomes = together.stream()
                    .map(write -> write.orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                            .join()
                            .outcome())
                    .toList();
            assertThat(outcomes.subList(0, 3)).containsOnly(new Changed());
            assertThat(outcomes.subList(3, 6)).hasOnlyElementsOfType(Duplicate.class);
            assertThat(outcomes.get(6)).isEqualTo(new Missing());
            IntStream.range(4, 7).forEach(id -> assertThat(n("large", id)).isOne());
            IntStream.range(7, 10).forEach(id -> assertThat(n("large", id)).isZero());
            session.abortTransaction();
        }
    }

    @Test
    void a_write_concern_that_cannot_be_satisfied_fails_each_request() {
        insert("concern", 3);
        var three = collection("concern").withWriteConcern(WriteConcern.W3);
        var outcomes = IntStream.range(0, 5)
                .mapToObj(id -> new TargetDocument(three, new BsonInt32(id), new Precondition.None()))
                .map(target -> submit(updates, target.updating(change("{$inc: {n: 1}}"), WriteMode.UPDATE)))
                .toList();
        for (var outcome : outcomes) {
            assertThat(outcome)
                    .failsWithin(TIMEOUT)
                    .withThrowableThat()
                    .withCauseInstanceOf(MongoWriteConcernException.class);
        }
    }

    @Test
    void an_id_that_reads_as_a_condition_is_none() {
        var ids = List.of(BsonNull.VALUE, BsonDocument.parse("{$gt: 1}"), new BsonInt32(5));
        for (var id : ids) {
            var target = target("odd", id, "{}", new Precondition.None());
            assertThat(outcome(updates, target.updating(change("{$inc: {n: 1}}"), WriteMode.UPDATE)))
                    .isEqualTo(new Missing());
        }
    }
}
