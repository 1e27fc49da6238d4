package org.restheart.mongo.reading;

import com.mongodb.MongoCommandException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.ToLongFunction;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.fields.FieldPath;
import org.restheart.http.Lease;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.coalescing.CanonicalId;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.find.QueryKey;
import org.restheart.mongo.reading.DocumentRead.Find;

/// Runs the reads of one call in one command, or in as few as their size allows, in which each distinct one is
/// contained once. Thread-safe; never blocks.
///
/// @param alone runs a single read, whose documents the lease owns
record CombinedReads(
        Coalescer coalesced, BiFunction<DocumentRead, Lease, CompletionStage<List<RawBsonDocument>>> alone) {

    /// Bytes of the reads of one command: half of what a command may have, since more than the reads is in it.
    static final long MAX_BYTES = 8 << 20;

    /// The results in the order of the reads. A read is run alone after the command has failed in a way that
    /// another one may have caused.
    ///
    /// @param reads at least one
    /// @param lease owns the documents until it is closed
    /// @param together runs several reads into the memory of a lease, and returns their results in order; may block
    List<CompletionStage<List<RawBsonDocument>>> run(
            List<DocumentRead> reads,
            Lease lease,
            BiFunction<List<DocumentRead>, Lease, List<List<RawBsonDocument>>> together) {
        var distinct = new LinkedHashMap<QueryKey, DocumentRead>();
        reads.forEach(read -> distinct.putIfAbsent(read.key(), read));
        var results = new HashMap<QueryKey, CompletionStage<List<RawBsonDocument>>>();
        for (var part : parts(distinct.values(), read -> read.key().length())) {
            if (part.size() == 1) {
                results.put(part.getFirst().key(), alone.apply(part.getFirst(), lease));
            } else {
                results.putAll(results(part, lease, together));
            }
        }
        return reads.stream()
                .map(read -> Objects.requireNonNull(results.get(read.key())))
                .toList();
    }

    /// What is read, divided into commands of at most [#MAX_BYTES], unless one alone has more.
    static <T> List<List<T>> parts(Collection<T> all, ToLongFunction<T> size) {
        var parts = new ArrayList<List<T>>();
        long bytes = Long.MAX_VALUE;
        for (var each : all) {
            long more = size.applyAsLong(each);
            if (bytes > MAX_BYTES - more) {
                parts.add(new ArrayList<>());
                bytes = 0;
            }
            bytes += more;
            parts.getLast().add(each);
        }
        return parts;
    }

    private Map<QueryKey, CompletionStage<List<RawBsonDocument>>> results(
            List<DocumentRead> reads,
            Lease lease,
            BiFunction<List<DocumentRead>, Lease, List<List<RawBsonDocument>>> together) {
        var caller = CallerScope.current(); // of these reads, not those of all that share the command
        var all = coalesced.share(key(reads), lease, command -> together.apply(reads, command));
        var results = new LinkedHashMap<QueryKey, CompletionStage<List<RawBsonDocument>>>();
        for (var read : reads) {
            int place = results.size();
            results.put(
                    read.key(),
                    all.thenApply(found -> found.get(place))
                            .exceptionallyCompose(failure -> mayBeDueToOne(failure)
                                    ? CallerScope.call(caller, () -> alone.apply(read, lease))
                                    : CompletableFuture.failedStage(failure)));
        }
        return results;
    }

    static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException wrapper && wrapper.getCause() != null
                ? wrapper.getCause()
                : failure;
    }

    /// Whether a command for several queries may have failed because of one of them, so that the others can
    /// succeed by themselves. Queries that together took too long, or too much memory, would take as much one
    /// after the other.
    static boolean mayBeDueToOne(Throwable failure) {
        return switch (cause(failure)) {
            case ProblemException e ->
                e.problem().code() != ProblemCode.UNPROCESSABLE && e.problem().code() != ProblemCode.OVERLOADED;
            case MongoCommandException e -> e.getErrorCode() != MongoCodes.MAX_TIME_EXPIRED;
            default -> false;
        };
    }

    private static QueryKey key(List<DocumentRead> reads) {
        var parts = QueryKey.of(reads.getFirst().namespace()).add("all");
        reads.forEach(read -> read.addTo(parts));
        return parts.key();
    }

    /// Combines queries for single values of the same property, such as the books of one author, to one query for all
    /// values. Results are distributed by the property with MongoDB's matching rules.
    static final class Equalities {
        private final Distribution distribution;
        private final Find combined;

        private Equalities(List<Find> queries, String property, Map<Object, List<Integer>> places, int limit) {
            this.distribution = new Distribution(
                    property, places, queries.stream().map(Find::limit).toList());
            var first = queries.getFirst();
            var values = new BsonArray();
            queries.forEach(each -> values.add(each.filter().get(property)));
            this.combined = new Find(
                    first.namespace(),
                    new BsonDocument(property, new BsonDocument("$in", values)),
                    first.sort(),
                    0,
                    limit,
                    first.timeLimit(),
                    first.rights());
        }

        /// @param reads distinct queries, of a collection without a collation
        static Optional<Equalities> of(List<DocumentRead> reads) {
            var queries = reads.stream().map(Find.class::cast).toList();
            var first = queries.getFirst();
            if (first.filter().size() != 1 || first.rights().projectResponse().isPresent()) {
                return Optional.empty();
            }
            var property = first.filter().getFirstKey();
            if (!Distribution.isPossibleBy(property)) {
                return Optional.empty();
            }
            var places = new LinkedHashMap<Object, List<Integer>>();
            long limit = 1; // one more than there may be
            for (var query : queries) {
                var value = query.filter().size() == 1 ? query.filter().get(property) : null;
                var canonical = value == null ? Optional.empty() : CanonicalId.of(value);
                if (canonical.isEmpty()
                        || query.skip() > 0
                        || !sortKey(query).equals(sortKey(first))
                        || places.put(canonical.get(), List.of(places.size())) != null) {
                    return Optional.empty();
                }
                limit += query.limit();
            }
            return limit > Integer.MAX_VALUE
                    ? Optional.empty()
                    : Optional.of(new Equalities(queries, property, places, (int) limit));
        }

        private static QueryKey sortKey(Find query) {
            return QueryKey.of(query.namespace()).add(query.sort()).key();
        }

        Find combined() {
            return combined;
        }

        /// The documents of each query, in order; empty if they cannot be distributed, or were too many to be read at
        /// once.
        Optional<List<List<RawBsonDocument>>> distribute(List<RawBsonDocument> documents) {
            return documents.size() == combined.limit() ? Optional.empty() : distribution.of(documents);
        }
    }

    /// Who gets which documents of a query for several values of one property, with MongoDB's matching rules.
    ///
    /// @param places who has asked for each value, by [CanonicalId]
    /// @param limits the most documents of each place
    record Distribution(String property, Map<Object, List<Integer>> places, List<Integer> limits) {
        /// Whether the values of documents can be told apart: a digit may be a position in an array.
        static boolean isPossibleBy(String property) {
            return !property.startsWith("$") && property.chars().noneMatch(Character::isDigit);
        }

        /// The documents of each place, in their order; empty if one has none of the values.
        Optional<List<List<RawBsonDocument>>> of(List<RawBsonDocument> documents) {
            var distributed = new ArrayList<List<RawBsonDocument>>();
            limits.forEach(_ -> distributed.add(new ArrayList<>()));
            var path = FieldPath.steps(property);
            for (var document : documents) {
                var matched = new LinkedHashSet<Integer>();
                match(document, path, 0, matched);
                if (matched.isEmpty()) {
                    return Optional.empty();
                }
                for (int place : matched) {
                    var mine = distributed.get(place);
                    if (mine.size() < limits.get(place)) {
                        mine.add(document);
                    }
                }
            }
            return Optional.of(distributed);
        }

        /// Traverses arrays on the path and at its end, as MongoDB does.
        private void match(BsonValue value, List<String> path, int depth, Set<Integer> matched) {
            if (depth < path.size()) {
                if (value instanceof RawBsonDocument document) {
                    RawDocuments.get(document, path.get(depth))
                            .ifPresent(member -> matchMember(member, path, depth + 1, matched));
                }
            } else {
                CanonicalId.of(value).map(places::get).ifPresent(matched::addAll);
            }
        }

        private void matchMember(BsonValue member, List<String> path, int depth, Set<Integer> matched) {
            if (member.isArray()) {
                member.asArray().forEach(element -> match(element, path, depth, matched));
            } else {
                match(member, path, depth, matched);
            }
        }
    }
}
