package org.restheart.mongo.find;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonNull;
import org.bson.BsonNumber;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.AnyName;

/// Replaces `$near` and `$nearSphere`, which MongoDB does not count since they order documents, by conditions for the
/// same documents: within the greatest distance and not within the least.
final class NearCount {
    private static final Set<String> NEAR = Set.of("$near", "$nearSphere");

    /// In meters, as MongoDB has it.
    private static final double RADIUS_OF_EARTH = 6_378_100;

    private NearCount() {}

    /// The filter for counting; the same one if it orders nothing.
    static BsonDocument filter(BsonDocument filter) {
        return AnyName.in(filter, NEAR::contains) ? unordered(filter) : filter;
    }

    private static BsonDocument unordered(BsonDocument filter) {
        var all = new ArrayList<BsonDocument>();
        filter.forEach((name, condition) -> {
            if (condition instanceof BsonArray branches && name.startsWith("$")) {
                all.add(new BsonDocument(
                        name,
                        new BsonArray(branches.stream()
                                .map(branch -> branch instanceof BsonDocument one ? unordered(one) : branch)
                                .toList())));
            } else if (condition instanceof BsonDocument operators
                    && operators.keySet().stream().anyMatch(NEAR::contains)) {
                all.addAll(conditions(name, operators));
            } else {
                all.add(new BsonDocument(name, condition));
            }
        });
        return StagedFilter.all(all);
    }

    private static List<BsonDocument> conditions(String field, BsonDocument operators) {
        boolean onSphere = operators.containsKey("$nearSphere");
        var near = operators.get(onSphere ? "$nearSphere" : "$near");
        var geometry = near instanceof BsonDocument document ? document.get("$geometry") : null;
        var distances = new BsonDocument();
        distances.putAll(operators);
        if (near instanceof BsonDocument document) {
            distances.putAll(document);
        }
        var point = geometry instanceof BsonDocument shape ? shape.get("coordinates") : near;
        double unit = geometry == null ? 1 : RADIUS_OF_EARTH;
        var area = onSphere || geometry != null ? "$centerSphere" : "$center";

        var all = new ArrayList<BsonDocument>();
        all.add(new BsonDocument(
                field,
                distance(distances, "$maxDistance", unit)
                        .or(() -> third(near))
                        .map(most -> within(area, point, most))
                        .orElseGet(() -> new BsonDocument("$ne", BsonNull.VALUE))));
        distance(distances, "$minDistance", unit)
                .map(least -> new BsonDocument(field, within(area, point, least)))
                .ifPresent(inside -> all.add(new BsonDocument("$nor", new BsonArray(List.of(inside)))));
        var others = operators.clone();
        others.keySet().removeAll(Set.of("$near", "$nearSphere", "$maxDistance", "$minDistance"));
        if (!others.isEmpty()) {
            all.add(new BsonDocument(field, others));
        }
        return all;
    }

    private static Optional<Double> distance(BsonDocument distances, String name, double unit) {
        return distances.get(name) instanceof BsonNumber distance
                ? Optional.of(distance.doubleValue() / unit)
                : Optional.empty();
    }

    /// The greatest distance in `[x, y, distance]`.
    private static Optional<Double> third(@Nullable BsonValue near) {
        return near instanceof BsonArray parts && parts.size() == 3 && parts.get(2) instanceof BsonNumber distance
                ? Optional.of(distance.doubleValue())
                : Optional.empty();
    }

    private static BsonDocument within(String area, @Nullable BsonValue point, double radius) {
        var parts = switch (point) {
            case BsonArray array -> array.stream().limit(2).toList();
            case BsonDocument document -> document.values().stream().limit(2).toList();
            case null, default -> List.<BsonValue>of();
        };
        // a sphere has no point beyond half of its circumference
        double bound = area.equals("$centerSphere") ? Math.min(radius, Math.PI) : radius;
        return new BsonDocument(
                "$geoWithin",
                new BsonDocument(area, new BsonArray(List.of(new BsonArray(parts), new BsonDouble(bound)))));
    }
}
