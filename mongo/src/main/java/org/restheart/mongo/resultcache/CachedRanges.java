package org.restheart.mongo.resultcache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.bson.RawBsonDocument;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.QueryKey;

/// Cached ranges of results, by query. Bounded in number, bytes and age. Thread-safe.
final class CachedRanges {
    /// Ranges per query: with more distant pages within the time to live a cache is of little use.
    private static final int PER_QUERY = 16;

    /// A range of a result, read at one time. Immutable.
    ///
    /// @param start position of the first document
    /// @param complete whether the result ends here
    /// @param bytes in memory
    /// @param readAt before reading began, in [System#nanoTime()]
    /// @param writes the value of [WriteCounters#until] before reading began
    record Range(long start, List<RawBsonDocument> documents, boolean complete, long bytes, long readAt, long writes) {

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
