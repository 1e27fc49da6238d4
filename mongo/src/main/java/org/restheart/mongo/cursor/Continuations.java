package org.restheart.mongo.cursor;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCursor;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.RawBsonDocument;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.InlineRead;
import org.restheart.mongo.find.QueryKey;

/// Pages that begin after the last document of the previous page, at a key of an index instead of a position: each
/// page costs as much as the first one, and inserts and deletes elsewhere do not shift it. Blocks for MongoDB.
/// Thread-safe.
public final class Continuations {
    private static final int MAX_ORDERS = 1_000;

    /// Bytes of an average order, with its filter.
    private static final int BYTES = 4_096;

    private static final Duration INDEXES_KNOWN = Duration.ofMinutes(1);

    private final DriverFinder documents;
    private final MongoClient client;
    private final Cache<QueryKey, Optional<SortIndex>> indexes;
    private final Counter pages;

    public Continuations(MongoClient client, DriverFinder documents, MeterRegistry registry) {
        this.client = client;
        this.documents = documents;
        this.indexes = Caffeine.newBuilder()
                .maximumWeight(MAX_ORDERS * BYTES)
                .weigher((QueryKey key, Optional<SortIndex> _) -> key.weight(BYTES))
                .expireAfterWrite(INDEXES_KNOWN)
                .executor(Runnable::run)
                .build();
        this.pages = Counter.builder("cursor_pool_continued")
                .description("Pages that began behind a document")
                .register(registry);
    }

    /// The key after which the next page begins; empty if no index has the sort order, or the shown fields do not
    /// contain the key.
    ///
    /// @param last the last document, as shown
    public Optional<BsonDocument> key(FindQuery query, BsonDocument last) {
        return query.filter().isStaged()
                ? Optional.empty()
                : index(query)
                        .filter(index -> index.isVisibleIn(query.projection()))
                        .flatMap(index -> index.keyOf(last));
    }

    /// The query's documents after a key, from the query's skip on; empty if no index has the sort order.
    ///
    /// @param key one value for each field of the sort
    /// @throws MongoException if MongoDB refuses the query or cannot be reached
    public Optional<MongoCursor<RawBsonDocument>> find(FindQuery query, BsonDocument key, int batchSize) {
        var index = query.isStaged() ? Optional.<SortIndex>empty() : index(query);
        if (index.isEmpty()) {
            return Optional.empty();
        }
        try {
            var page = documents.find(
                    index.get().reverse() ? query : query.with(query.filter().and(without(key))),
                    index.get().from(key),
                    batchSize);
            pages.increment();
            return Optional.of(page);
        } catch (MongoCommandException e) {
            if (!SortIndex.mayBeGone(e)) {
                throw e;
            }
            indexes.invalidate(order(query));
            return Optional.empty();
        }
    }

    private Optional<SortIndex> index(FindQuery query) {
        return query.hint().isPresent()
                        || query.settings().collation().isPresent()
                        || !query.sort().containsKey("_id")
                ? Optional.empty()
                : indexes.get(order(query), _ -> find(query));
    }

    private static QueryKey order(FindQuery query) {
        return QueryKey.of(query.namespace()).add(query.sort()).key();
    }

    private Optional<SortIndex> find(FindQuery query) {
        InlineRead.forbid();
        try {
            return SortIndex.find(client, query.namespace(), query.sort());
        } catch (MongoException _) {
            return Optional.empty(); // a view, or indexes that may not be listed
        }
    }

    /// With the order of the index, a range begins at the key: at the document itself, if it still exists.
    private static BsonDocument without(BsonDocument key) {
        return new BsonDocument("_id", new BsonDocument("$ne", key.get("_id", BsonNull.VALUE)));
    }
}
