package org.restheart.mongo.cursor;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.restheart.mongo.find.FindQuery;

/// Pieces of results, by query. Bounded in number, bytes and age. Thread-safe.
final class Ranges {
    /// Of one query: who asks for more far-apart pages within the time to live has little use for a cache.
    private static final int PER_QUERY = 16;

    private final Cache<FindQuery, List<Range>> byQuery;
    private final ResultCacheConfig config;
    private final Writes writes;

    Ranges(ResultCacheConfig config, Writes writes) {
        this.config = config;
        this.writes = writes;
        // In KiB. Each range weighs as much as if all were equally large, at least: so their number is bounded, too.
        long all = Math.max(config.size(), config.bytes() >> 10);
        int least = (int) Math.min(Integer.MAX_VALUE, all / config.size());
        this.byQuery = Caffeine.newBuilder()
                .maximumWeight(all)
                .weigher((FindQuery _, List<Range> ranges) -> ranges.stream()
                        .mapToInt(range -> Math.max(least, (int) (range.bytes() >> 10)))
                        .reduce(0, (a, b) -> (int) Math.min(Integer.MAX_VALUE, (long) a + b)))
                .expireAfterWrite(config.ttl())
                .executor(Runnable::run)
                .build();
    }

    /// The documents that the query asks for, if they are known and nothing was written since.
    Optional<Range> find(FindQuery query) {
        var ranges = byQuery.getIfPresent(whole(query));
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
                        whole(query),
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

    /// Everything that decides about the result, but not which piece of it is asked for.
    private static FindQuery whole(FindQuery query) {
        return query.slice(0, 0);
    }

    /// How many there are now.
    long count() {
        byQuery.cleanUp();
        return byQuery.asMap().values().stream().mapToLong(List::size).sum();
    }

    /// That their documents take in memory.
    long bytes() {
        return byQuery.asMap().values().stream()
                .flatMap(List::stream)
                .mapToLong(Range::bytes)
                .sum();
    }
}
