package org.restheart.mongo.cursor;

import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// Tells filters by which the same documents match while nobody changes them, and for which an index can be named.
final class SteadyFilter {
    private static final Set<String> UNSTEADY = Set.of("$where", "$function", "$rand", "$sampleRate");
    private static final Set<String> WITH_AN_INDEX_OF_THEIR_OWN = Set.of("$text", "$near", "$nearSphere");
    private static final Set<String> VARIABLES = Set.of("$$NOW", "$$CLUSTER_TIME");

    private SteadyFilter() {}

    static boolean is(BsonDocument filter) {
        return filter.isEmpty() || isSteady(filter);
    }

    private static boolean isSteady(BsonValue value) {
        return switch (value.getBsonType()) {
            case DOCUMENT ->
                value.asDocument().entrySet().stream()
                        .allMatch(field -> !UNSTEADY.contains(field.getKey())
                                && !WITH_AN_INDEX_OF_THEIR_OWN.contains(field.getKey())
                                && isSteady(field.getValue()));
            case ARRAY -> value.asArray().stream().allMatch(SteadyFilter::isSteady);
            case STRING -> !VARIABLES.contains(value.asString().getValue());
            default -> true;
        };
    }
}
