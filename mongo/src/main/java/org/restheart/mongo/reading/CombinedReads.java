package org.restheart.mongo.reading;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.coalescing.CoalescedReads;
import org.restheart.mongo.find.QueryKey;

/// Runs the reads of one call in one command, or in as few as their size allows, in which each distinct one is
/// contained once. Thread-safe; never blocks.
///
/// @param alone runs a single read
record CombinedReads<R extends DocumentRead>(
        CoalescedReads coalesced, Function<R, CompletionStage<List<RawBsonDocument>>> alone) {

    /// Bytes of the reads of one command: half of what a command may have, since more than the reads is in it.
    private static final long MAX_BYTES = 8 << 20;

    /// The results in the order of the reads. A read is run alone after the command has failed in a way that
    /// another one may have caused.
    ///
    /// @param reads at least one
    /// @param together runs several reads and returns their results in order; may block
    List<CompletionStage<List<RawBsonDocument>>> run(
            List<R> reads, Function<List<R>, List<List<RawBsonDocument>>> together) {
        var distinct = new LinkedHashMap<QueryKey, R>();
        reads.forEach(read -> distinct.putIfAbsent(read.key(), read));
        var results = new HashMap<QueryKey, CompletionStage<List<RawBsonDocument>>>();
        for (var part : parts(distinct)) {
            if (part.size() == 1) {
                part.forEach((key, read) -> results.put(key, alone.apply(read)));
            } else {
                results.putAll(results(part, together));
            }
        }
        return reads.stream()
                .map(read -> Objects.requireNonNull(results.get(read.key())))
                .toList();
    }

    private static <R> List<Map<QueryKey, R>> parts(Map<QueryKey, R> reads) {
        var parts = new ArrayList<Map<QueryKey, R>>();
        long bytes = Long.MAX_VALUE;
        for (var read : reads.entrySet()) {
            int more = read.getKey().length();
            if (bytes > MAX_BYTES - more) {
                parts.add(new LinkedHashMap<>());
                bytes = 0;
            }
            bytes += more;
            parts.getLast().put(read.getKey(), read.getValue());
        }
        return parts;
    }

    private Map<QueryKey, CompletionStage<List<RawBsonDocument>>> results(
            Map<QueryKey, R> distinct, Function<List<R>, List<List<RawBsonDocument>>> together) {
        var reads = List.copyOf(distinct.values());
        var caller = CallerScope.current(); // of these reads, not those of all that share the command
        var all = coalesced.share(key(reads), () -> together.apply(reads));
        var results = new LinkedHashMap<QueryKey, CompletionStage<List<RawBsonDocument>>>();
        for (var entry : distinct.entrySet()) {
            int place = results.size();
            var read = entry.getValue();
            results.put(
                    entry.getKey(),
                    all.thenApply(found -> found.get(place))
                            .exceptionallyCompose(failure -> ReadFailures.mayBeDueToOne(failure)
                                    ? CallerScope.call(caller, () -> alone.apply(read))
                                    : ReadFailures.withoutDetails(CompletableFuture.failedStage(failure))));
        }
        return results;
    }

    private static QueryKey key(List<? extends DocumentRead> reads) {
        var parts = QueryKey.of(reads.getFirst().namespace()).add("all");
        reads.forEach(read -> read.addTo(parts));
        return parts.key();
    }
}
