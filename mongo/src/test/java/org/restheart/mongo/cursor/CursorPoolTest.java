package org.restheart.mongo.cursor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.QueryKey;
import org.restheart.mongo.find.ReadSettings;
import org.restheart.mongo.find.Shortcuts;
import org.restheart.mongo.find.Shortcuts.CursorsAhead;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
class CursorPoolTest {
    private final TestMongo mongo;
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final List<CursorPool> pools = new ArrayList<>();

    CursorPoolTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    @AfterEach
    void close() {
        pools.forEach(CursorPool::close);
    }

    private CursorPool pool(PositionedCursor.Opener opener, int size) {
        var allocation = new CursorPoolConfig.Allocation(size, 100, 10, List.of(2, 1), 5, 100, 7);
        var config = new CursorPoolConfig(CursorPoolConfig.Mode.EXACT, 100, 1, 1, Duration.ofMinutes(1), allocation);
        var pool = new CursorPool(
                new BackgroundTasks(), opener, new DriverFinder(mongo.client()), config, new PagingMeters(registry));
        pools.add(pool);
        return pool;
    }

    private MongoCollection<BsonDocument> filled(String name, int documents) {
        var collection = mongo.database().getCollection(name, BsonDocument.class);
        collection.insertMany(IntStream.range(0, documents)
                .mapToObj(i -> new BsonDocument("_id", new BsonInt32(i)))
                .toList());
        return collection;
    }

    private FindQuery query(String collection, int skip, int limit) {
        return new FindQuery(
                        new MongoNamespace(mongo.databaseName(), collection),
                        StagedFilter.ALL,
                        Projection.ALL,
                        BsonDocument.parse("{$natural: 1}"),
                        Optional.empty(),
                        skip,
                        limit,
                        ReadSettings.DEFAULT)
                .with(new Shortcuts(true, CursorsAhead.LINEAR));
    }

    private static List<Integer> read(MongoCursor<RawBsonDocument> page) {
        var ids = new ArrayList<Integer>();
        try (page) {
            page.forEachRemaining(document -> ids.add(document.getInt32("_id").getValue()));
        }
        return ids;
    }

    private MongoCursor<RawBsonDocument> awaitPage(CursorPool pool, FindQuery query) {
        return await().until(() -> pool.find(query, 1_000), Optional::isPresent).orElseThrow();
    }

    private double count(String meter, String tag, String value) {
        return registry.get(meter).tag(tag, value).counter().count();
    }

    private double gauge(String state) {
        return registry.get("cursor_pool_cursors").tag("state", state).gauge().value();
    }

    /// An opener that can be watched and disturbed.
    private PositionedCursor.Opener opener(Runnable before) {
        return new PositionedCursor.Opener(mongo.client()) {
            @Override
            Optional<PositionedCursor> open(QueryKey key, FindQuery query, long position, int span) {
                before.run();
                return super.open(key, query, position, span);
            }
        };
    }

    @Test
    @Timeout(180)
    void a_request_never_waits_for_a_cursor_to_be_positioned() throws InterruptedException {
        filled("waiting", 500);
        var positioning = new CountDownLatch(1);
        var released = new CountDownLatch(1);
        var pool = pool(
                opener(() -> {
                    positioning.countDown();
                    try {
                        released.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }),
                10);
        assertThat(pool.find(query("waiting", 200, 5), 1_000)).isEmpty();
        assertThat(pool.find(query("waiting", 200, 5), 1_000)).isEmpty();
        positioning.await();
        assertThat(pool.find(query("waiting", 200, 5), 1_000)).isEmpty(); // a cursor for it is under way
        assertThat(pool.find(query("waiting", 300, 5), 1_000)).isEmpty();
        released.countDown();
        assertThat(read(awaitPage(pool, query("waiting", 200, 5)))).containsExactly(200, 201, 202, 203, 204);
    }

    @Test
    void a_leased_cursor_is_exclusive() {
        filled("leased", 500);
        var pool = pool(opener(() -> {}), 2);
        var one = awaitPage(pool, query("leased", 200, 5));
        var other = awaitPage(pool, query("leased", 200, 5));
        assertThat(gauge("leased")).isEqualTo(2); // there are no more
        assertThat(pool.find(query("leased", 200, 5), 1_000)).isEmpty();
        assertThat(read(one)).isEqualTo(read(other)).containsExactly(200, 201, 202, 203, 204);
        assertThat(gauge("leased")).isZero();
    }

    @Test
    void a_cursor_for_the_next_slice_makes_room_for_the_slice_that_is_being_read() {
        filled("slices", 500);
        var pool = pool(opener(() -> {}), 2);
        pool.find(query("slices", 200, 5), 1_000);
        pool.find(query("slices", 200, 5), 1_000);
        await().until(() -> gauge("parked") == 2); // one for each slice
        try (var one = pool.find(query("slices", 200, 5), 1_000).orElseThrow();
                var other = awaitPage(pool, query("slices", 200, 5))) {
            assertThat(read(one)).isEqualTo(read(other)).containsExactly(200, 201, 202, 203, 204);
        }
    }

    @Test
    void a_page_larger_than_a_batch_is_read_in_several_and_the_next_one_begins_behind_it() {
        filled("batches", 500);
        var pool = pool(opener(() -> {}), 10);
        assertThat(read(awaitPage(pool, query("batches", 205, 20))))
                .isEqualTo(IntStream.range(205, 225).boxed().toList());
        assertThat(read(pool.find(query("batches", 225, 20), 1_000).orElseThrow()))
                .isEqualTo(IntStream.range(225, 245).boxed().toList());
    }

    @Test
    void a_page_that_a_client_leaves_half_read_leaves_the_cursor_where_it_stands() {
        filled("half", 500);
        var pool = pool(opener(() -> {}), 10);
        try (var page = awaitPage(pool, query("half", 200, 20))) {
            assertThat(page.next().getInt32("_id").getValue()).isEqualTo(200);
        }
        assertThat(read(pool.find(query("half", 210, 5), 1_000).orElseThrow()))
                .containsExactly(210, 211, 212, 213, 214);
    }

    @Test
    void the_last_page_ends_where_the_result_does_and_nothing_is_positioned_behind_it() {
        filled("last", 203);
        var opened = new AtomicInteger();
        var pool = pool(opener(opened::incrementAndGet), 3);
        assertThat(read(awaitPage(pool, query("last", 200, 5)))).containsExactly(200, 201, 202);
        await().until(() -> count("cursor_pool_allocations", "outcome", "ended") == 1); // at 290
        assertThat(gauge("leased")).isZero();
    }

    @Test
    void what_cannot_be_positioned_is_not_tried_again_at_every_request() {
        filled("failing", 500);
        var attempts = new AtomicInteger();
        var pool = pool(
                opener(() -> {
                    attempts.incrementAndGet();
                    throw new MongoException("no");
                }),
                3);
        pool.find(query("failing", 200, 5), 1_000);
        pool.find(query("failing", 200, 5), 1_000);
        await().until(() -> count("cursor_pool_allocations", "outcome", "failed") == 1);
        for (int i = 0; i < 20; i++) {
            assertThat(pool.find(query("failing", 200, 5), 1_000)).isEmpty();
        }
        assertThat(attempts).hasValue(1);
    }

    @Test
    void the_cursor_that_was_not_used_for_the_longest_time_makes_room() {
        filled("old", 500);
        filled("new", 500);
        var pool = pool(opener(() -> {}), 1);
        awaitPage(pool, query("old", 200, 5)).close();
        awaitPage(pool, query("new", 200, 5)).close();
        assertThat(count("cursor_pool_closed", "reason", "evicted")).isPositive();
        assertThat(gauge("parked")).isLessThanOrEqualTo(1);
    }

    @Test
    void closing_waits_for_pages_that_are_being_read() {
        filled("closing", 500);
        var pool = pool(opener(() -> {}), 3);
        var page = awaitPage(pool, query("closing", 200, 5));
        var closing = Thread.ofVirtual().start(pool::close);
        await().until(() -> gauge("parked") == 0 && closing.isAlive());
        assertThat(read(page)).containsExactly(200, 201, 202, 203, 204);
        await().until(() -> !closing.isAlive());
        assertThat(gauge("parked")).isZero();
        assertThat(pool.find(query("closing", 200, 5), 1_000)).isEmpty();
    }
}
