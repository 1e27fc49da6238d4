package org.restheart.mongo.resultcache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoCursor;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.mongo.find.DocumentCursor;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.find.InlineRead;
import org.restheart.mongo.find.QueryKey;
import org.restheart.mongo.resultcache.CachedFinder.CachedRanges.Range;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Serves queries that allow it from cached ranges of results, and reads ahead to fill them. Thread-safe.
public final class CachedFinder implements Finder {
    private static final Logger LOG = LoggerFactory.getLogger(CachedFinder.class);

    private final Finder finder;
    private final ResultCacheConfig config;
    private final WriteCounters writes;
    private final CachedRanges ranges;
    private final Counter hits;
    private final Counter misses;

    public CachedFinder(Finder finder, ResultCacheConfig config, WriteCounters writes, MeterRegistry registry) {
        this.finder = finder;
        this.config = config;
        this.writes = writes;
        this.ranges = new CachedRanges(config, writes);
        this.hits = pages(registry, "hit");
        this.misses = pages(registry, "miss");
        Gauge.builder("result_cache_ranges", ranges, CachedRanges::count)
                .description("Pieces of results that are kept")
                .register(registry);
        Gauge.builder("result_cache_bytes", ranges, CachedRanges::bytes)
                .description("Memory that their documents take")
                .register(registry);
    }

    private static Counter pages(MeterRegistry registry, String outcome) {
        return Counter.builder("result_cache_pages")
                .description("Pages that were looked for among earlier results")
                .tag("outcome", outcome)
                .register(registry);
    }

    @Override
    public MongoCursor<RawBsonDocument> find(FindQuery query, int batchSize) {
        if (!config.enabled() || !query.shortcuts().cached() || query.limit() == 0 || query.limit() > config.docs()) {
            return finder.find(query, batchSize);
        }
        var known = ranges.find(query);
        if (known.isPresent()) {
            hits.increment();
            return slice(known.get(), query);
        }
        InlineRead.forbid();
        misses.increment();
        try {
            for (long start : starts(query)) {
                var range = read(query, start, batchSize);
                ranges.put(query, range);
                if (range.covers(query.skip(), query.limit())) {
                    return slice(range, query);
                }
            }
        } catch (MongoCommandException e) {
            // an expression may fail for a document outside the page: the page alone decides
            LOG.debug("a range could not be read ahead", e);
        }
        return finder.find(query, batchSize); // or the page is too large for the cache
    }

    /// The start of the range to read: aligned to multiples if possible, so that ranges are shared and serve clients
    /// that page backwards; otherwise, or if the documents in between are too large, the start of the page.
    private List<Long> starts(FindQuery query) {
        long aligned = query.skip() - query.skip() % config.docs();
        if (aligned == query.skip() || aligned + config.docs() < query.skip() + query.limit()) {
            return List.of(query.skip());
        }
        return List.of(aligned, query.skip());
    }

    private static MongoCursor<RawBsonDocument> slice(Range range, FindQuery query) {
        return DocumentCursor.of(range.slice(query.skip(), query.limit()));
    }

    /// Reads as much as may be cached, of which a batch is in memory at a time.
    private Range read(FindQuery query, long start, int batchSize) {
        long now = System.nanoTime();
        long until = writes.until(query.namespace());
        var documents = new ArrayList<RawBsonDocument>();
        long bytes = 0;
        try (var cursor = finder.find(query.slice(start, config.docs()), batchSize)) {
            while (cursor.hasNext()) {
                var document = RawDocuments.compact(cursor.next());
                bytes += document.getByteLength();
                if (bytes > config.bytesPerRange()) {
                    return new Range(start, documents, false, bytes, now, until);
                }
                documents.add(document);
            }
            boolean complete = documents.size() < config.docs();
            return new Range(start, documents, complete, bytes, now, until);
        }
    }

    /// Cached ranges of results, by query. Bounded in number, bytes and age. Thread-safe.
    static final class CachedRanges {
        /// Ranges per query: with more distant pages within the time to live a cache is of little use.
        private static final int PER_QUERY = 16;

        /// A range of a result, read at one time. Immutable.
        ///
        /// @param start position of the first document
        /// @param complete whether the result ends here
        /// @param bytes in memory
        /// @param readAt before reading began, in [System#nanoTime()]
        /// @param writes the value of [WriteCounters#until] before reading began
        record Range(
                long start, List<RawBsonDocument> documents, boolean complete, long bytes, long readAt, long writes) {

            Range {
                documents = List.copyOf(documents);
            }

            boolean covers(long skip, int limit) {
                return start <= skip && (complete || skip + limit <= start + documents.size());
            }

            /// @param skip at or after the start
            List<RawBsonDocument> slice(long skip, int limit) {
                int begin = (int) Math.min(skip - start, documents.size());
                return documents.subList(begin, Math.min(documents.size(), begin + limit));
            }
        }

        private final Cache<QueryKey, List<Range>> byQuery;
        private final ResultCacheConfig config;
        private final WriteCounters writes;

        CachedRanges(ResultCacheConfig config, WriteCounters writes) {
            this.config = config;
            this.writes = writes;
            // In KiB. Each range has at least the average weight, so that their number is bounded, too.
            long all = Math.max(config.size(), config.bytes() >> 10);
            int least = (int) Math.min(Integer.MAX_VALUE, all / config.size());
            this.byQuery = Caffeine.newBuilder()
                    .maximumWeight(all)
                    .weigher((QueryKey key, List<Range> ranges) -> ranges.stream()
                            .mapToInt(range -> Math.max(least, (int) (range.bytes() >> 10)))
                            .reduce(key.length() >> 10, (a, b) -> (int) Math.min(Integer.MAX_VALUE, (long) a + b)))
                    .expireAfterWrite(config.ttl())
                    .executor(Runnable::run)
                    .build();
        }

        /// The range with the query's documents, if it is cached and nothing was written since.
        Optional<Range> find(FindQuery query) {
            var ranges = byQuery.getIfPresent(query.resultKey());
            return ranges == null
                    ? Optional.empty()
                    : ranges.stream()
                            .filter(range -> range.covers(query.skip(), query.limit()))
                            .filter(range -> isFresh(query, range))
                            .findFirst();
        }

        void put(FindQuery query, Range fresh) {
            byQuery.asMap()
                    .merge(
                            query.resultKey(),
                            List.of(fresh),
                            (known, _) -> Stream.concat(
                                            Stream.of(fresh),
                                            known.stream()
                                                    .filter(range -> range.start() != fresh.start())
                                                    .filter(range -> isFresh(query, range)))
                                    .limit(PER_QUERY)
                                    .toList());
        }

        private boolean isFresh(FindQuery query, Range range) {
            return System.nanoTime() - range.readAt() < config.ttl().toNanos()
                    && range.writes() == writes.until(query.namespace());
        }

        /// The current number of ranges.
        long count() {
            byQuery.cleanUp();
            return byQuery.asMap().values().stream().mapToLong(List::size).sum();
        }

        /// The memory of their documents.
        long bytes() {
            return byQuery.asMap().values().stream()
                    .flatMap(List::stream)
                    .mapToLong(Range::bytes)
                    .sum();
        }
    }
}
