package org.restheart.mongo.cursor;

import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// Recognizes filters whose result depends only on the documents, and with which an index hint is allowed.
final class DeterministicFilter {
    private static final Set<String> NON_DETERMINISTIC = Set.of("$where", "$function", "$rand", "$sampleRate");
    private static final Set<String> WITH_AN_INDEX_OF_THEIR_OWN = Set.of("$text", "$near", "$nearSphere");
    private static final Set<String> VARIABLES = Set.of("$$NOW", "$$CLUSTER_TIME");

    private DeterministicFilter() {}

    static boolean is(BsonDocument filter) {
        return filter.isEmpty() || isDeterministic(filter);
    }

    private static boolean isDeterministic(BsonValue value) {
        return switch (value.getBsonType()) {
            case DOCUMENT ->
                value.asDocument().entrySet().stream()
                        .allMatch(field -> !NON_DETERMINISTIC.contains(field.getKey())
                                && !WITH_AN_INDEX_OF_THEIR_OWN.contains(field.getKey())
                                && isDeterministic(field.getValue()));
            case ARRAY -> value.asArray().stream().allMatch(DeterministicFilter::isDeterministic);
            case STRING -> !VARIABLES.contains(value.asString().getValue());
            default -> true;
        };
    }
}
