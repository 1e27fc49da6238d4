package org.restheart.mongo.reading;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.fields.FieldPath;
import org.restheart.mongo.coalescing.CanonicalId;
import org.restheart.mongo.find.QueryKey;

/// Combines queries for single values of the same property, such as the books of one author, to one query for all
/// values. Results are distributed by the property with MongoDB's matching rules.
final class Equalities {
    private final List<ReadQuery> queries;
    private final String property;
    private final Map<Object, Integer> places;
    private final ReadQuery combined;

    private Equalities(List<ReadQuery> queries, String property, Map<Object, Integer> places, int limit) {
        this.queries = queries;
        this.property = property;
        this.places = places;
        var first = queries.getFirst();
        var values = new BsonArray();
        queries.forEach(each -> values.add(each.filter().get(property)));
        this.combined = new ReadQuery(
                first.namespace(),
                new BsonDocument(property, new BsonDocument("$in", values)),
                first.sort(),
                0,
                limit,
                first.timeLimit(),
                first.rights());
    }

    /// @param queries distinct ones, of a collection without a collation
    static Optional<Equalities> of(List<ReadQuery> queries) {
        var first = queries.getFirst();
        if (first.filter().size() != 1 || first.rights().projection().isPresent()) {
            return Optional.empty();
        }
        var property = first.filter().getFirstKey();
        if (property.startsWith("$") || property.chars().anyMatch(Character::isDigit)) {
            return Optional.empty(); // a digit may be a position in an array
        }
        var places = new LinkedHashMap<Object, Integer>();
        long limit = 1; // one more than there may be
        for (var query : queries) {
            var value = query.filter().size() == 1 ? query.filter().get(property) : null;
            var canonical = value == null ? Optional.empty() : CanonicalId.of(value);
            if (canonical.isEmpty()
                    || query.skip() > 0
                    || !sortKey(query).equals(sortKey(first))
                    || places.put(canonical.get(), places.size()) != null) {
                return Optional.empty();
            }
            limit += query.limit();
        }
        return limit > Integer.MAX_VALUE
                ? Optional.empty()
                : Optional.of(new Equalities(queries, property, places, (int) limit));
    }

    private static QueryKey sortKey(ReadQuery query) {
        return QueryKey.of(query.namespace()).add(query.sort()).key();
    }

    ReadQuery combined() {
        return combined;
    }

    /// The documents of each query, in order; empty if they cannot be distributed, or were too many to be read at
    /// once.
    Optional<List<List<RawBsonDocument>>> distribute(List<RawBsonDocument> documents) {
        if (documents.size() == combined.limit()) {
            return Optional.empty();
        }
        var distributed = new ArrayList<List<RawBsonDocument>>();
        queries.forEach(_ -> distributed.add(new ArrayList<>()));
        var path = FieldPath.steps(property);
        for (var document : documents) {
            var matched = new HashSet<Integer>();
            match(document, path, 0, matched);
            if (matched.isEmpty()) {
                return Optional.empty();
            }
            for (int place : matched) {
                var mine = distributed.get(place);
                if (mine.size() < queries.get(place).limit()) {
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
            CanonicalId.of(value).map(places::get).ifPresent(matched::add);
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
