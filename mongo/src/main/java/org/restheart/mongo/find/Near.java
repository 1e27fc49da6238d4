package org.restheart.mongo.find;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonNull;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.AnyName;

/// A condition `$near` or `$nearSphere`, which orders documents by their distance. MongoDB takes it neither in counts
/// nor in pipelines: there, other conditions and stages for the same documents stand for it. Immutable by agreement.
///
/// @param place a GeoJSON point, or two coordinates
/// @param distances of all operators that bound the distance; in meters for GeoJSON, in radians on a sphere
/// @param others what else the field is compared with
public record Near(String field, boolean onSphere, BsonValue place, BsonDocument distances, BsonDocument others) {
    static final Set<String> NAMES = Set.of("$near", "$nearSphere");

    private static final Set<String> BOUNDS = Set.of("$maxDistance", "$minDistance", "$uniqueDocs");

    /// In meters, as MongoDB has it.
    private static final double RADIUS_OF_EARTH = 6_378_100;

    /// Where `$geoNear` puts the distance, which is removed again.
    private static final String DISTANCE = "__distance_of_near";

    /// Whether a condition on a field is this alone. It cannot fail by a document: all that the index holds are places.
    static boolean isOnly(BsonValue condition) {
        return of("", condition).filter(near -> near.others().isEmpty()).isPresent();
    }

    private static Optional<Near> of(String field, BsonValue condition) {
        if (!(condition instanceof BsonDocument operators)
                || operators.keySet().stream().noneMatch(NAMES::contains)) {
            return Optional.empty();
        }
        boolean isSphere = operators.containsKey("$nearSphere");
        var near = operators.get(isSphere ? "$nearSphere" : "$near");
        var distances = new BsonDocument();
        distances.putAll(operators);
        if (near instanceof BsonDocument document) {
            distances.putAll(document);
        } else if (near instanceof BsonArray parts && parts.size() == 3) {
            distances.putIfAbsent("$maxDistance", parts.get(2));
        }
        var geometry = near instanceof BsonDocument document ? document.get("$geometry") : null;
        var others = new BsonDocument();
        others.putAll(operators);
        others.keySet().removeIf(name -> NAMES.contains(name) || BOUNDS.contains(name));
        return Optional.of(new Near(
                field,
                isSphere || geometry != null,
                geometry instanceof BsonDocument ? geometry : coordinates(near),
                distances,
                others));
    }

    private static BsonArray coordinates(@Nullable BsonValue near) {
        return new BsonArray(
                switch (near) {
                    case BsonArray array -> array.stream().limit(2).toList();
                    case BsonDocument document ->
                        document.values().stream().limit(2).toList();
                    case null, default -> List.<BsonValue>of();
                });
    }

    /// The stages for a filter that begins a pipeline: `$geoNear` with all else in its `query`, or a `$match`.
    static List<BsonDocument> stages(BsonDocument filter) {
        var stages = new ArrayList<BsonDocument>();
        var clauses = new ArrayList<BsonDocument>();
        var near = AnyName.in(filter, NAMES::contains) ? split(filter, clauses) : Optional.<Near>empty();
        if (near.isPresent()) {
            stages.add(new BsonDocument("$geoNear", near.get().options(StagedFilter.all(clauses))));
            stages.add(new BsonDocument("$unset", new BsonString(DISTANCE)));
        } else {
            stages.add(new BsonDocument("$match", filter));
        }
        return stages;
    }

    /// @param clauses takes what is beside it; MongoDB refuses a second one there
    private static Optional<Near> split(BsonDocument filter, List<BsonDocument> clauses) {
        var found = Optional.<Near>empty();
        for (var clause : filter.entrySet()) {
            var name = clause.getKey();
            var near = found.isPresent() || name.startsWith("$") ? Optional.<Near>empty() : of(name, clause.getValue());
            if (near.isPresent()) {
                found = near;
                if (!near.get().others().isEmpty()) {
                    clauses.add(new BsonDocument(name, near.get().others()));
                }
            } else if (name.equals("$and") && clause.getValue() instanceof BsonArray all) {
                for (var each : all) {
                    if (found.isEmpty() && each instanceof BsonDocument part) {
                        found = split(part, clauses);
                    } else {
                        clauses.add(new BsonDocument("$and", new BsonArray(List.of(each))));
                    }
                }
            } else {
                clauses.add(new BsonDocument(name, clause.getValue()));
            }
        }
        return found;
    }

    private BsonDocument options(BsonDocument query) {
        var options = new BsonDocument("near", place)
                .append("key", new BsonString(field))
                .append("spherical", BsonBoolean.valueOf(onSphere))
                .append("distanceField", new BsonString(DISTANCE))
                .append("query", query);
        for (var name : List.of("maxDistance", "minDistance")) {
            if (distances.containsKey("$" + name)) {
                options.append(name, distances.get("$" + name));
            }
        }
        return options;
    }

    /// The filter for counting: within the greatest distance and not within the least, in no order. The same one if it
    /// orders nothing.
    static BsonDocument unordered(BsonDocument filter) {
        return replaced(filter, Near::conditions);
    }

    /// The rest of a filter, for documents that fulfill all of it.
    public static BsonDocument removedFrom(BsonDocument filter) {
        return replaced(
                filter, near -> near.others.isEmpty() ? List.of() : List.of(new BsonDocument(near.field, near.others)));
    }

    private static BsonDocument replaced(BsonDocument filter, Function<Near, List<BsonDocument>> replacement) {
        if (!AnyName.in(filter, NAMES::contains)) {
            return filter;
        }
        var all = new ArrayList<BsonDocument>();
        filter.forEach((name, condition) -> {
            var near = of(name, condition);
            if (condition instanceof BsonArray branches && name.startsWith("$")) {
                var inner = branches.stream()
                        .map(branch -> branch instanceof BsonDocument one ? replaced(one, replacement) : branch)
                        .toList();
                all.add(new BsonDocument(name, new BsonArray(inner)));
            } else if (near.isPresent()) {
                all.addAll(replacement.apply(near.get()));
            } else {
                all.add(new BsonDocument(name, condition));
            }
        });
        return StagedFilter.all(all);
    }

    private List<BsonDocument> conditions() {
        var all = new ArrayList<BsonDocument>();
        all.add(new BsonDocument(
                field,
                distance("$maxDistance").map(this::within).orElseGet(() -> new BsonDocument("$ne", BsonNull.VALUE))));
        distance("$minDistance")
                .map(least -> new BsonDocument(field, within(least)))
                .ifPresent(inside -> all.add(new BsonDocument("$nor", new BsonArray(List.of(inside)))));
        if (!others.isEmpty()) {
            all.add(new BsonDocument(field, others));
        }
        return all;
    }

    private Optional<Double> distance(String name) {
        double unit = place.isDocument() ? RADIUS_OF_EARTH : 1;
        return distances.get(name) instanceof BsonNumber distance
                ? Optional.of(distance.doubleValue() / unit)
                : Optional.empty();
    }

    private BsonDocument within(double radius) {
        var point = place instanceof BsonDocument geometry ? coordinates(geometry.get("coordinates")) : place;
        // a sphere has no point beyond half of its circumference
        var circle = new BsonArray(List.of(point, new BsonDouble(onSphere ? Math.min(radius, Math.PI) : radius)));
        return new BsonDocument("$geoWithin", new BsonDocument(onSphere ? "$centerSphere" : "$center", circle));
    }
}
