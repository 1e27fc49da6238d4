package org.restheart.mongo.cursor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import com.mongodb.event.CommandSucceededEvent;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.ReadSettings;
import org.restheart.mongo.find.Shortcuts;
import org.restheart.mongo.find.Shortcuts.CursorsAhead;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Writes while bookmarks are being set: between two commands of the server that sets them.
@WithMongo
class ExactMomentsTest {
    private static final int DOCUMENTS = 600;

    /// Where in the making of exact bookmarks the write happens.
    enum Moment {
        /// The moment that the bookmarks are of has been fixed, and all but the first have still to be set.
        AFTER_THE_FIRST_BOOKMARK,

        /// All are set, and the change stream is not open yet.
        BEFORE_THE_CHANGE_STREAM,

        /// It is open, and no page has been read from a bookmark yet.
        AFTER_THE_CHANGE_STREAM_HAS_BEGUN
    }

    private final TestMongo mongo;
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    ExactMomentsTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    /// Writes at the moment, before the client that is listened to goes on. The first time only, of that collection.
    private static final class Writer implements CommandListener {
        private final Moment moment;
        private final MongoCollection<BsonDocument> collection;
        private final AtomicBoolean begun = new AtomicBoolean();
        private volatile boolean done;
        private volatile int rangeScan = -1;
        private volatile int stream = -1;

        Writer(Moment moment, MongoCollection<BsonDocument> collection) {
            this.moment = moment;
            this.collection = collection;
        }

        @Override
        public void commandStarted(CommandStartedEvent event) {
            var command = event.getCommand();
            if (command.containsKey("returnKey")) {
                rangeScan = event.getRequestId();
            } else if (isStream(command)) {
                stream = event.getRequestId();
                write(Moment.BEFORE_THE_CHANGE_STREAM);
            }
        }

        @Override
        public void commandSucceeded(CommandSucceededEvent event) {
            if (event.getRequestId() == rangeScan) {
                write(Moment.AFTER_THE_FIRST_BOOKMARK);
            } else if (event.getRequestId() == stream) {
                write(Moment.AFTER_THE_CHANGE_STREAM_HAS_BEGUN);
            }
        }

        private static boolean isStream(BsonDocument command) {
            return command.containsKey("aggregate")
                    && command.getArray("pipeline").stream()
                            .anyMatch(stage -> stage.asDocument().containsKey("$changeStream"));
        }

        /// Documents before all pages and between them go, and others come.
        private void write(Moment now) {
            if (now == moment && begun.compareAndSet(false, true)) {
                collection.deleteMany(BsonDocument.parse("{_id: {$in: [3, 4, 5, 250]}}"));
                collection.insertMany(
                        List.of(BsonDocument.parse("{_id: -1, n: 1}"), BsonDocument.parse("{_id: 100.5, n: 1}")));
                collection.updateOne(BsonDocument.parse("{_id: 7}"), BsonDocument.parse("{$set: {n: 1}}"));
                done = true;
            }
        }
    }

    private static List<BsonValue> ids(MongoCursor<RawBsonDocument> page) {
        var ids = new ArrayList<BsonValue>();
        try (page) {
            page.forEachRemaining(document -> ids.add(document.get("_id")));
        }
        return ids;
    }

    private double hits() {
        return registry.get("cursor_pool_pages").tag("outcome", "hit").counter().count();
    }

    private void no_page_is_wrong(Moment moment, String name, String filter) {
        var collection = mongo.database().getCollection(name, BsonDocument.class);
        collection.insertMany(IntStream.range(0, DOCUMENTS)
                .mapToObj(i -> new BsonDocument("_id", new BsonInt32(i)).append("n", new BsonInt32(i % 3)))
                .toList());
        var writer = new Writer(moment, collection);
        var settings = MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(mongo.connectionString()))
                .addCommandListener(writer)
                .build();
        try (var client = MongoClients.create(settings);
                var finder = new DeepPageFinder(
                        new BackgroundTasks(),
                        client,
                        new DriverFinder(client),
                        new CursorPoolConfig(
                                CursorPoolConfig.Mode.NONE,
                                20,
                                20,
                                1 << 20,
                                Duration.ofMinutes(5),
                                BookmarkFixture.ALLOCATION),
                        registry)) {
            var query = new FindQuery(
                            new MongoNamespace(mongo.databaseName(), name),
                            StagedFilter.of(BsonDocument.parse(filter)),
                            Projection.ALL,
                            BsonDocument.parse("{_id: 1}"),
                            Optional.empty(),
                            0,
                            0,
                            ReadSettings.DEFAULT)
                    .with(new Shortcuts(true, CursorsAhead.NONE));
            var skipping = new DriverFinder(mongo.client());
            await().until(() -> {
                boolean written = writer.done;
                finder.find(query.slice(100, 5), 6).close();
                for (int from = 20; written && from < 200; from += 13) {
                    assertThat(ids(finder.find(query.slice(from, 5), 6)))
                            .isEqualTo(ids(skipping.find(query.slice(from, 5), 6)));
                }
                return written && hits() > 20;
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_write_at_that_moment_moves_the_bookmarks_of_the_whole_collection(Moment moment) {
        no_page_is_wrong(moment, "all_" + moment, "{}");
        assertThat(registry.get("cursor_pool_undone").counter().count()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void a_write_at_that_moment_undoes_those_of_a_filter(Moment moment) {
        no_page_is_wrong(moment, "filtered_" + moment, "{n: {$gt: 0}}");
        assertThat(registry.get("cursor_pool_undone").counter().count()).isPositive();
    }
}
