package org.restheart.mongo.coalescing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.Test;
import org.restheart.http.EntityTagList;
import org.restheart.mongo.write.Precondition;
import org.restheart.mongo.write.WriteMode;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteOutcome.Changed;
import org.restheart.mongo.write.WriteOutcome.Created;
import org.restheart.mongo.write.WriteOutcome.Missing;
import org.restheart.mongo.write.WriteOutcome.Stale;
import org.restheart.testkit.TestMongo;

/// The outcomes of concurrent changes and removals of single documents that share commands, over a real replica
/// set. The number of operations grows with the system property `coalescing.stress.operations`.
class CoalescedWritesTest extends CoalescedWritesFixture {
    CoalescedWritesTest(TestMongo mongo) {
        super(mongo);
    }

    @Test
    void counters_equal_acknowledgements_and_missing_documents_are_reported() throws Exception {
        int there = 20;
        insert("counters", there);
        var acknowledged = new AtomicIntegerArray(there);
        ManyClients.run(OPERATIONS, () -> {
            int id = ThreadLocalRandom.current().nextInt(there * 3 / 2);
            switch (update(target("counters", id), "{$inc: {n: 1}}", WriteMode.UPDATE)) {
                case Changed() -> acknowledged.incrementAndGet(id);
                case Missing() -> assertThat(id).isGreaterThanOrEqualTo(there);
                case WriteOutcome other -> throw new AssertionError(other);
            }
            return null;
        });
        for (int id = 0; id < there; id++) {
            assertThat(n("counters", id)).isEqualTo(acknowledged.get(id));
        }
        assertThat(collection("counters").countDocuments()).isEqualTo(there);
        assertThat(together.sum()).as("statements that shared a command").isPositive();
    }

    @Test
    void of_writes_with_the_same_tag_one_succeeds_and_the_others_get_the_new_one() throws Exception {
        int ids = 10;
        insert("tagged", ids);
        var tags = new ArrayList<String>();
        for (int id = 0; id < ids; id++) {
            var tag = new ObjectId();
            tags.add(tag.toHexString());
            assertThat(target("tagged", id)
                            .updating(change("{$set: {n: 0}}", tag), WriteMode.UPDATE)
                            .alone())
                    .isEqualTo(new Changed());
        }
        var current = new ConcurrentHashMap<Integer, String>();
        IntStream.range(0, ids).forEach(id -> current.put(id, tags.get(id)));
        var won = new AtomicIntegerArray(ids);
        var lost = new LongAdder();
        ManyClients.run(OPERATIONS / 2, () -> {
            int id = ThreadLocalRandom.current().nextInt(ids);
            var known = current.get(id);
            var mine = new ObjectId();
            var target =
                    target("tagged", new BsonInt32(id), "{}", new Precondition.IfMatch(EntityTagList.parse(known)));
            switch (outcome(updates, target.updating(change("{$inc: {n: 1}}", mine), WriteMode.UPDATE))) {
                case Changed() -> {
                    won.incrementAndGet(id);
                    current.replace(id, known, mine.toHexString());
                }
                case Stale(var stored, var violated) -> {
                    assertThat(violated).isEqualTo(new Precondition.IfMatch(EntityTagList.parse(known)));
                    lost.increment();
                    assertThat(stored).isPresent().get().isNotEqualTo(known);
                    current.replace(id, known, stored.get());
                }
                case WriteOutcome other -> throw new AssertionError(other);
            }
            return null;
        });
        for (int id = 0; id < ids; id++) {
            assertThat(n("tagged", id)).isEqualTo(won.get(id));
        }
        assertThat(lost.sum()).isPositive();
    }

    @Test
    void what_an_access_rule_keeps_back_is_missing_for_some_and_changed_for_others() throws Exception {
        int ids = 30;
        insert("ruled", ids);
        collection("ruled")
                .updateMany(new BsonDocument(), List.of(BsonDocument.parse("{$set: {owner: {$mod: ['$_id', 3]}}}")));
        var acknowledged = new AtomicIntegerArray(ids);
        ManyClients.run(OPERATIONS / 2, () -> {
            int id = ThreadLocalRandom.current().nextInt(ids);
            int caller = ThreadLocalRandom.current().nextInt(3);
            var target = target("ruled", new BsonInt32(id), "{owner: " + caller + "}", new Precondition.None());
            var outcome = update(target, "{$inc: {n: 1}}", WriteMode.UPDATE);
            assertThat(outcome).isEqualTo(id % 3 == caller ? new Changed() : new Missing());
            if (id % 3 == caller) {
                acknowledged.incrementAndGet(id);
            }
            return null;
        });
        for (int id = 0; id < ids; id++) {
            assertThat(n("ruled", id)).isEqualTo(acknowledged.get(id));
        }
    }

    @Test
    void of_concurrent_removals_of_one_document_one_succeeds() throws Exception {
        int ids = OPERATIONS / 4;
        insert("removed", ids);
        var removed = new AtomicIntegerArray(ids);
        var next = new AtomicInteger();
        ManyClients.run(ids * 2, () -> {
            int id = next.getAndIncrement() / 2;
            if (outcome(deletes, target("removed", id).deleting()) instanceof WriteOutcome.Deleted) {
                removed.incrementAndGet(id);
            }
            return null;
        });
        for (int id = 0; id < ids; id++) {
            assertThat(removed.get(id)).isOne();
        }
        assertThat(collection("removed").countDocuments()).isZero();
        assertThat(together.sum()).isPositive();
    }

    @Test
    void of_concurrent_writes_of_a_new_document_one_creates_it_and_no_replacement_is_mixed() throws Exception {
        int ids = OPERATIONS / 10;
        var created = new AtomicIntegerArray(ids);
        var next = new AtomicInteger();
        ManyClients.run(ids * 3, () -> {
            int id = next.getAndIncrement() / 3;
            var document = raw(new BsonDocument("_id", new BsonInt32(id))
                    .append("of", new BsonInt32(id))
                    .append("_etag", new BsonObjectId()));
            switch (outcome(updates, target("upserted", id).replacing(document, WriteMode.UPSERT))) {
                case Created() -> created.incrementAndGet(id);
                case Changed() -> {}
                case WriteOutcome other -> throw new AssertionError(other);
            }
            return null;
        });
        for (int id = 0; id < ids; id++) {
            assertThat(created.get(id)).isOne();
        }
        for (var document : collection("upserted").find()) {
            assertThat(document.get("of")).isEqualTo(document.get("_id"));
        }
        assertThat(collection("upserted").countDocuments()).isEqualTo(ids);
    }
}
