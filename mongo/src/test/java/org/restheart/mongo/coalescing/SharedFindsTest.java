package org.restheart.mongo.coalescing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoNamespace;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.restheart.http.InlineCommand;
import org.restheart.http.Lease;
import org.restheart.mongo.coalescing.Batching.BatchLoad;
import org.restheart.mongo.coalescing.SharedFinds.Find;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.ReadSettings;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Pages that are streamed, each for one request only, and those that the thread of a connection finds.
@WithMongo
class SharedFindsTest {
    @AutoClose
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private final TestMongo mongo;
    private final SharedFinds finds;

    SharedFindsTest(TestMongo mongo) {
        this.mongo = mongo;
        this.finds = new SharedFinds(
                new Batching(
                        mongo.client(),
                        CoalescingConfig.DEFAULT,
                        threads,
                        Deployment.of(mongo.client()),
                        new BatchLoad(),
                        new SimpleMeterRegistry()),
                () -> 0, // all pages are quick
                Duration.ofSeconds(2)); // for a busy machine
    }

    /// A page of which nothing is read, and whose reading goes on when the test says so.
    private static final class Page implements FindResult {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch goesOn = new CountDownLatch(1);
        final AtomicBoolean closed = new AtomicBoolean();

        FindResult read() {
            begun.countDown();
            try {
                if (!goesOn.await(60, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("the test has ended");
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return this;
        }

        @Override
        public boolean canBeShared() {
            return false;
        }

        @Override
        public void discard() {
            closed.set(true);
        }
    }

    private PendingRequest<Find, FindResult> submit(Page page, Duration timeLimit) {
        var query = new FindQuery(
                new MongoNamespace("shared", "finds"),
                StagedFilter.ALL,
                Projection.ALL,
                new BsonDocument(),
                Optional.empty(),
                0,
                10,
                new ReadSettings(Optional.empty(), Optional.empty(), timeLimit));
        return finds.submit(new Find(query, "page", false, Lease.CONSTANT, _ -> page.read()));
    }

    @Test
    void a_page_that_nobody_waits_for_any_more_is_closed() throws Exception {
        var page = new Page();
        var asked = submit(page, Duration.ZERO);
        page.begun.await();
        asked.cancel(false);
        page.goesOn.countDown();
        await().untilTrue(page.closed);
    }

    @Test
    void a_page_is_not_read_for_a_request_whose_time_is_over() throws Exception {
        var running = new ArrayList<Page>();
        for (int i = 0; i < CoalescingConfig.DEFAULT.commands(); i++) { // so that the others share a command
            var page = new Page();
            running.add(page);
            submit(page, Duration.ZERO);
            page.begun.await();
        }
        var unlimited = new Page();
        var hasty = new Page();
        var first = submit(unlimited, Duration.ZERO);
        var second = submit(hasty, Duration.ofMillis(50));
        running.forEach(page -> page.goesOn.countDown());
        unlimited.begun.await();
        await().until(second::isDone);
        unlimited.goesOn.countDown();
        assertThat(first.get(60, TimeUnit.SECONDS).sharing()).isEqualTo(1);
        assertThat(second.exceptionNow()).isInstanceOf(MongoExecutionTimeoutException.class);
        hasty.goesOn.countDown();
        threads.close();
        assertThat(hasty.begun.getCount()).isEqualTo(1);
        assertThat(unlimited.closed).isFalse();
    }

    /// Those that are found quickly, in one reply.
    @Test
    void small_pages_are_found_by_a_thread_that_must_not_wait_for_long() throws Exception {
        var collection = mongo.database().getCollection("quick", BsonDocument.class);
        collection.insertOne(BsonDocument.parse("{_id: 1}"));
        var documents = new DriverFinder(mongo.client());
        var ofAll = query("quick", "{}", 10);
        awaitIsFoundHere(documents, ofAll);
        assertThat(isFoundHere(documents, query("quick", "{}", 101))).isFalse();
        assertThat(isFoundHere(documents, query("other", "{}", 10))).isFalse();
        awaitIsFoundHere(documents, ofAll);
        assertThat(isFoundHere(documents, query("quick", "{$where: 'sleep(5000) || true'}", 10)))
                .as("which is given up")
                .isFalse();
        assertThat(isFoundHere(documents, ofAll))
                .as("after one that was not quick")
                .isFalse();
    }

    private void awaitIsFoundHere(DriverFinder documents, FindQuery query) {
        await().pollInterval(Duration.ofMillis(1)).until(() -> isFoundHere(documents, query));
    }

    /// Whether a thread that must not wait for long finds the one document of a query.
    private boolean isFoundHere(DriverFinder documents, FindQuery query) throws Exception {
        var here = Thread.currentThread();
        var found = new AtomicBoolean();
        var inline = new InlineCommand();
        var pending = inline.during(() -> finds.submit(new Find(query, "documents", false, Lease.CONSTANT, use -> {
            try (var cursor = use.change().apply(documents).find(query, query.limit() + 1)) {
                var all = new ArrayList<RawBsonDocument>();
                cursor.forEachRemaining(all::add);
                found.set(Thread.currentThread().equals(here));
                return new FindResult.Documents(List.of(all));
            }
        })));
        inline.run();
        assertThat(((FindResult.Documents) pending.get(60, TimeUnit.SECONDS).outcome())
                        .results()
                        .getFirst())
                .hasSize(query.namespace().getCollectionName().equals("quick") ? 1 : 0);
        return found.get();
    }

    @Test
    void a_large_page_is_left_to_another_thread_and_its_cursor_closed() throws Exception {
        var query = query("large", "{}", 10);
        var documents = new DriverFinder(mongo.client());
        mongo.database().createCollection("large");
        awaitIsFoundHere(documents, query);
        var here = Thread.currentThread();
        var given = new Page();
        var taken = new Page();
        given.goesOn.countDown();
        taken.goesOn.countDown();
        var inline = new InlineCommand();
        var pending = inline.during(() -> finds.submit(new Find(
                query,
                "page",
                false,
                Lease.CONSTANT,
                _ -> (Thread.currentThread().equals(here) ? given : taken).read())));
        inline.run();
        assertThat(pending.get(60, TimeUnit.SECONDS).sharing()).isOne();
        assertThat(given.closed).isTrue();
        assertThat(taken.closed).isFalse();
    }

    private FindQuery query(String collection, String filter, int limit) {
        return new FindQuery(
                new MongoNamespace(mongo.databaseName(), collection),
                StagedFilter.of(BsonDocument.parse(filter)),
                Projection.ALL,
                new BsonDocument(),
                Optional.empty(),
                0,
                limit,
                ReadSettings.DEFAULT);
    }
}
