package org.restheart.rest.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoDatabase;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;
import org.bson.BsonInt32;
import org.bson.Document;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.rest.file.FileHandlers.AbandonedChunks;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The search for chunks of uploads that were never finished.
@WithMongo
class AbandonedChunksTest {
    @AutoClose
    private final BackgroundTasks tasks = new BackgroundTasks();

    private final AtomicLong now = new AtomicLong(System.nanoTime());
    private final AtomicInteger asked = new AtomicInteger();
    private final MongoDatabase database;
    private final Chunks chunks;
    private final AbandonedChunks abandoned = new AbandonedChunks(tasks, this::now);

    AbandonedChunksTest(TestMongo mongo) {
        database = mongo.client().getDatabase(mongo.newDatabaseName());
        chunks = new Chunks(database, "p.files", WriteConcern.MAJORITY);
    }

    private long now() {
        asked.incrementAndGet();
        return now.get();
    }

    /// A chunk that was stored in 1970.
    private void store(int upload) {
        store("p", upload);
    }

    private void store(String bucket, int upload) {
        database.getCollection(bucket + ".chunks")
                .insertOne(new Document("_id", new ObjectId(upload, upload))
                        .append("files_id", upload)
                        .append("n", 0));
    }

    private void awaitChunks(long expected) {
        await().until(() -> database.getCollection("p.chunks").countDocuments() == expected);
    }

    @Test
    void chunks_that_another_request_moves_do_not_end_the_search() {
        store(1);
        store(2);
        store(3);
        database.getCollection("p.files").insertOne(new Document("_id", "f").append(ContentMoves.MARK, 2));
        var lock = ContentMoves.lock(new BsonInt32(2));
        lock.lock();
        try {
            abandoned.search(chunks);
            awaitChunks(1);
        } finally {
            lock.unlock();
        }
        assertThat(database.getCollection("p.chunks").find().first()).containsEntry("files_id", 2);
    }

    @Test
    void a_search_that_has_failed_is_repeated_after_an_hour() {
        database.getCollection("source").insertOne(new Document());
        database.createView("p.chunks", "source", List.of(Document.parse("""
                {$project: {files_id: {$divide: [1, 0]}}}""")));
        abandoned.search(chunks);
        await().until(() -> asked.get() == 2); // when it began, and when it failed
        database.getCollection("p.chunks").drop();
        store(1);
        abandoned.search(chunks);
        var others = new Chunks(database, "q.files", WriteConcern.MAJORITY);
        store("q", 1);
        abandoned.search(others);
        await().until(() -> database.getCollection("q.chunks").countDocuments() == 0);
        assertThat(database.getCollection("p.chunks").countDocuments()).isOne();
        now.addAndGet(Duration.ofMinutes(61).toNanos());
        abandoned.search(chunks);
        awaitChunks(0);
    }

    @Test
    void files_that_are_moved_do_not_wait_for_others() {
        var locks = new HashSet<Lock>();
        IntStream.range(0, 2_000).forEach(id -> locks.add(ContentMoves.lock(new BsonInt32(id))));
        assertThat(locks).hasSize(2_000);
        var lock = ContentMoves.lock(new BsonInt32(1));
        assertThat(ContentMoves.lock(new BsonInt32(1))).isSameAs(lock);
    }
}
