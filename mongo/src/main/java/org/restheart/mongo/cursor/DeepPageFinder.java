package org.restheart.mongo.cursor;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCursor;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.restheart.bson.fields.Location;
import org.restheart.bson.fields.NamedOperators;
import org.restheart.bson.fields.Operators;
import org.restheart.bson.fields.Operators.Place;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.find.InlineRead;
import org.restheart.mongo.find.Shortcuts.CursorsAhead;
import org.restheart.mongo.find.StagedFilter;

/// Finds deep pages with bookmarks or, where those are not usable, with positioned cursors, for queries that
/// allow it; other queries are passed to MongoDB. Thread-safe.
public final class DeepPageFinder implements Finder, AutoCloseable {
    private static final Set<String> CONSTANTS = Set.of("ROOT", "CURRENT", "REMOVE");

    private final DriverFinder documents;
    private final int firstBookmark;
    private final BookmarkedPages bookmarked;
    private final CursorPool pool;
    private final PagingMeters meters;

    public DeepPageFinder(
            BackgroundTasks tasks,
            MongoClient client,
            DriverFinder documents,
            CursorPoolConfig config,
            MeterRegistry registry) {
        this.documents = documents;
        this.firstBookmark = config.sliceWidth();
        this.meters = new PagingMeters(registry);
        this.bookmarked = new BookmarkedPages(tasks, client, documents, config, meters);
        this.pool = new CursorPool(tasks, new PositionedCursor.Opener(client), documents, config, meters);
    }

    @Override
    public MongoCursor<RawBsonDocument> find(FindQuery query, int batchSize) {
        boolean bookmarks = mayUseBookmarks(query);
        if (bookmarks || mayUseCursors(query, false)) {
            InlineRead.forbid();
        }
        var page = bookmarks ? bookmarked.find(query, batchSize) : Optional.<MongoCursor<RawBsonDocument>>empty();
        if (page.isEmpty() && mayUseCursors(query, bookmarks)) {
            page = pool.find(query, batchSize);
            page.ifPresent(_ -> meters.leased.increment());
        }
        return page.orElseGet(() -> {
            if (bookmarks) {
                meters.misses.increment();
            }
            return documents.find(query, batchSize);
        });
    }

    /// False if bookmarks are off, for pages before the first, and for queries without a limit or a fixed order.
    private boolean mayUseBookmarks(FindQuery query) {
        return query.shortcuts().bookmarks()
                && query.skip() >= firstBookmark
                && query.limit() > 0
                && hasFixedOrder(query);
    }

    /// False where bookmarks are usable, which need no open cursors in MongoDB.
    private boolean mayUseCursors(FindQuery query, boolean bookmarks) {
        return query.shortcuts().cursorsAhead() != CursorsAhead.NONE
                && (!hasFixedOrder(query)
                        || (bookmarks && (!query.sort().containsKey("_id") || bookmarked.isUnfit(query))));
    }

    /// False for queries with a hint or a collation, for staged filters and projections, and for filters that depend on
    /// more than the documents or cannot be combined with a hint.
    private static boolean hasFixedOrder(FindQuery query) {
        return query.hint().isEmpty()
                && query.settings().collation().isEmpty()
                && !query.isStaged()
                && isDeterministic(query.filter().single());
    }

    /// Whether the result of the filter depends only on the documents, as far as is known, and an index hint is allowed
    /// with it.
    static boolean isDeterministic(BsonDocument filter) {
        var others = new AtomicBoolean();
        new NamedOperators((place, name, _) -> {
                    if (!dependsOnDocument(place, name)) {
                        others.setPlain(true);
                    }
                })
                .filter(filter, Location.of("filter"));
        return !others.getPlain();
    }

    private static boolean dependsOnDocument(Place place, String name) {
        return switch (place) {
            case EXPRESSION -> Operators.PURE.contains(name) && !Operators.CHANGING.contains(name);
            case VARIABLE -> CONSTANTS.contains(name);
            case QUERY ->
                place.known().contains(name)
                        && !Operators.CODE.contains(name)
                        && !Operators.CHANGING.contains(name)
                        && !StagedFilter.ONLY_FIRST.contains(name);
            case STAGE, UPDATE -> false;
        };
    }

    /// Closes the cursors that are positioned ahead.
    @Override
    public void close() {
        pool.close();
    }
}
