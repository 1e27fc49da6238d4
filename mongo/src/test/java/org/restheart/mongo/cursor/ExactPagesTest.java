package org.restheart.mongo.cursor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.CreateCollectionOptions;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.mongo.find.FindQuery;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Every answer is that of MongoDB's own skip, whatever was written before, at once.
@WithMongo
class ExactPagesTest {
    private static final int WIDTH = 20;

    private final TestMongo mongo;
    private final BookmarkFixture fixture;

    ExactPagesTest(TestMongo mongo) {
        this.mongo = mongo;
        this.fixture = new BookmarkFixture(mongo, WIDTH, 1 << 20);
    }

    private double pages(String outcome) {
        return fixture.count("cursor_pool_pages", "outcome", outcome);
    }

    private void awaitBookmarks(FindQuery query) {
        await().until(() -> {
            double hits = pages("hit");
            fixture.read(query.slice(100, 1));
            return pages("hit") > hits;
        });
    }

    private static BsonValue randomId(Random random) {
        int number = random.nextInt(10_000);
        return switch (random.nextInt(5)) {
            case 0 -> new BsonInt64(number);
            case 1 -> new BsonDouble(number + 0.5);
            case 2 -> new BsonString("id" + number);
            case 3 -> new BsonObjectId();
            default -> new BsonDocument("a", new BsonInt32(number));
        };
    }

    private static void write(MongoCollection<BsonDocument> collection, Random random) {
        var some = new BsonDocument("_id", randomId(random));
        switch (random.nextInt(4)) {
            case 0, 1 ->
                collection.replaceOne(
                        some,
                        some.clone().append("n", new BsonInt32(random.nextInt(3))),
                        new com.mongodb.client.model.ReplaceOptions().upsert(true));
            case 2 -> {
                var victim = collection
                        .find(BsonDocument.parse("{}"))
                        .skip(random.nextInt(100))
                        .first();
                if (victim != null) {
                    collection.deleteOne(new BsonDocument("_id", victim.get("_id")));
                }
            }
            default ->
                collection.updateMany(new BsonDocument("n", new BsonInt32(1)), BsonDocument.parse("{$set: {n: 2}}"));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a | {} | {_id: 1}",
                "b | {} | {_id: -1}",
                "c | {n: {$gt: 0}} | {_id: -1}",
                "d | {} | {n: 1, _id: 1}"
            })
    void after_random_writes_every_page_is_that_of_skip(String name, String filter, String sort) {
        var collection = mongo.database().getCollection(name, BsonDocument.class);
        collection.createIndex(BsonDocument.parse("{n: 1, _id: 1}"));
        var random = new Random(name.hashCode());
        collection.insertMany(IntStream.range(0, 800)
                .mapToObj(i -> new BsonDocument("_id", new BsonInt32(-i)).append("n", new BsonInt32(i % 3)))
                .toList());
        var query = fixture.query(name, filter, sort);
        awaitBookmarks(query);
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 60; i++) {
                write(collection, random);
            }
            var all = fixture.skipped(query);
            for (int i = 0; i < 40; i++) {
                int from = WIDTH + random.nextInt(all.size() + 10 - WIDTH);
                int size = 1 + random.nextInt(30);
                assertThat(fixture.read(query.slice(from, size)))
                        .as("%d documents from %d on in round %d", size, from, round)
                        .isEqualTo(all.subList(Math.min(from, all.size()), Math.min(from + size, all.size())));
            }
        }
    }

    @Test
    void inserts_and_deletions_move_bookmarks_instead_of_undoing_them() {
        var collection = mongo.database().getCollection("moving", BsonDocument.class);
        collection.insertMany(IntStream.range(0, 500)
                .mapToObj(i -> new BsonDocument("_id", new BsonInt32(i)))
                .toList());
        var query = fixture.query("moving", "{}", "{_id: 1}");
        awaitBookmarks(query);
        collection.deleteMany(BsonDocument.parse("{_id: {$lt: 30}}"));
        double hits = pages("hit");
        assertThat(fixture.read(query.slice(200, 2))).isEqualTo(fixture.skipped(query.slice(200, 2)));
        assertThat(pages("hit")).isGreaterThan(hits);
        assertThat(fixture.registry().get("cursor_pool_undone").counter().count())
                .isZero();
    }

    /// Deletions before the page, by a client that waits for no majority, alternate with insertions.
    private void writeAndRead(String name, int rounds) {
        var collection =
                mongo.database().getCollection(name, BsonDocument.class).withWriteConcern(WriteConcern.W1);
        collection.insertMany(IntStream.range(0, 2_000)
                .mapToObj(i -> new BsonDocument("_id", new BsonInt32(i)))
                .toList());
        var query = fixture.query(name, "{}", "{_id: 1}");
        awaitBookmarks(query);
        double hits = pages("hit");
        var random = new Random(8);
        for (int i = 0; i < rounds; i++) {
            var some = new BsonDocument("_id", new BsonInt32(random.nextInt(1_000)));
            if (collection.deleteOne(some).getDeletedCount() == 0) {
                collection.insertOne(some);
            }
            int from = 1_000 + random.nextInt(900);
            assertThat(fixture.read(query.slice(from, 3))).isEqualTo(fixture.skipped(query.slice(from, 3)));
        }
        assertThat(pages("hit") - hits).as("pages from bookmarks").isGreaterThanOrEqualTo(rounds * 0.5);
        assertThat(fixture.registry().get("cursor_pool_undone").counter().count())
                .isZero();
    }

    @Test
    void a_page_that_is_asked_for_right_after_a_write_counts_it() {
        writeAndRead("right-after", 200);
    }

    @Test
    void it_does_so_while_other_collections_are_written_to() throws InterruptedException {
        var done = new AtomicBoolean();
        var other = mongo.database().getCollection("others", BsonDocument.class);
        var writer = Thread.ofVirtual().start(() -> {
            while (!done.get()) {
                other.insertOne(new BsonDocument());
            }
        });
        try {
            writeAndRead("busy", 100);
        } finally {
            done.set(true);
            writer.join();
        }
    }

    @Test
    void a_capped_collection_forgets_without_a_word_and_has_no_bookmarks() {
        mongo.database()
                .createCollection(
                        "capped", new CreateCollectionOptions().capped(true).sizeInBytes(1 << 20));
        var collection = mongo.database().getCollection("capped", BsonDocument.class);
        collection.insertMany(IntStream.range(0, 500)
                .mapToObj(i -> new BsonDocument("_id", new BsonInt32(i)))
                .toList());
        var query = fixture.query("capped", "{}", "{_id: 1}");
        fixture.read(query.slice(100, 1));
        fixture.read(query.slice(100, 1));
        await().until(() -> fixture.registry()
                        .get("cursor_pool_builds")
                        .tag("outcome", "unfit")
                        .counter()
                        .count()
                == 1);
        assertThat(fixture.read(query.slice(100, 1))).isEqualTo(fixture.skipped(query.slice(100, 1)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{$expr: {$lt: ['$at', '$$NOW']}}",
                "{$or: [{a: 1}, {$where: 'this.a == 1'}]}",
                "{$sampleRate: 0.5}",
                "{$and: [{$text: {$search: 'a'}}]}"
            })
    void a_filter_that_does_not_only_depend_on_documents_has_no_bookmarks(String filter) {
        assertThat(DeepPageFinder.isDeterministic(BsonDocument.parse(filter))).isFalse();
        assertThat(DeepPageFinder.isDeterministic(BsonDocument.parse("{a: {$gt: 1}, $or: [{b: 'x'}, {c: [1]}]}")))
                .isTrue();
    }

    @Test
    void a_dropped_collection_has_no_bookmarks() {
        var collection = mongo.database().getCollection("dropped", BsonDocument.class);
        collection.insertMany(IntStream.range(0, 500)
                .mapToObj(i -> new BsonDocument("_id", new BsonInt32(i)))
                .toList());
        var query = fixture.query("dropped", "{}", "{_id: 1}");
        awaitBookmarks(query);
        collection.drop();
        collection.insertOne(BsonDocument.parse("{_id: 300}"));
        assertThat(fixture.read(query.slice(200, 2))).isEmpty();
        await().until(() ->
                fixture.registry().get("cursor_pool_undone").counter().count() == 1);
    }
}
