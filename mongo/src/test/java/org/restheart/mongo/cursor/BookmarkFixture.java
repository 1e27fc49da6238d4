package org.restheart.mongo.cursor;

import com.mongodb.MongoNamespace;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.ReadSettings;
import org.restheart.mongo.find.Shortcuts;
import org.restheart.mongo.find.Shortcuts.CursorsAhead;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.testkit.TestMongo;

/// A finder with bookmarks over the database of a test class, and MongoDB's own skip to compare it with.
final class BookmarkFixture {
    private final TestMongo mongo;
    private final DriverFinder documents;
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    static final CursorPoolConfig.Allocation ALLOCATION =
            new CursorPoolConfig.Allocation(100, 1_000, 100, List.of(4, 2, 1), 50, 1_000, 1_000);

    private final DeepPageFinder finder;

    /// @param width documents between two bookmarks
    /// @param maxBytes of all bookmarks
    BookmarkFixture(TestMongo mongo, int width, long maxBytes) {
        this.mongo = mongo;
        this.documents = new DriverFinder(mongo.client());
        this.finder = new DeepPageFinder(
                new BackgroundTasks(),
                mongo.client(),
                documents,
                new CursorPoolConfig(
                        CursorPoolConfig.Mode.NONE, width, 20, maxBytes, Duration.ofMinutes(5), ALLOCATION),
                registry);
    }

    FindQuery query(String collection, String filter, String sort) {
        return new FindQuery(
                        new MongoNamespace(mongo.databaseName(), collection),
                        StagedFilter.of(BsonDocument.parse(filter)),
                        Projection.ALL,
                        BsonDocument.parse(sort),
                        Optional.empty(),
                        0,
                        0,
                        ReadSettings.DEFAULT)
                .with(new Shortcuts(true, CursorsAhead.NONE));
    }

    /// The page as the finder reads it.
    List<RawBsonDocument> read(FindQuery query) {
        return all(finder, query, query.limit() + 1);
    }

    /// The page as MongoDB's own skip reads it.
    List<RawBsonDocument> skipped(FindQuery query) {
        return all(documents, query, 1_000);
    }

    private static List<RawBsonDocument> all(Finder finder, FindQuery query, int batchSize) {
        var found = new ArrayList<RawBsonDocument>();
        try (var cursor = finder.find(query, batchSize)) {
            cursor.forEachRemaining(found::add);
        }
        return found;
    }

    SimpleMeterRegistry registry() {
        return registry;
    }

    double count(String name, String tag, String value) {
        return registry.get(name).tag(tag, value).counter().count();
    }
}
