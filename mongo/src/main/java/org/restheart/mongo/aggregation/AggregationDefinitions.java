package org.restheart.mongo.aggregation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.http.Nearest;
import org.restheart.http.ProblemException;
import org.restheart.mongo.guard.ReadingStages;
import org.restheart.mongo.metadata.EntryKeys;

/// Checks definitions of aggregations when they are stored.
public final class AggregationDefinitions {
    private static final EntryKeys KEYS = EntryKeys.of("uri", "type", "stages", "allowDiskUse", "operatorsInVariables");

    private AggregationDefinitions() {}

    /// Mistakes because of which every run would fail, and keys without effect; empty if none is known.
    ///
    /// @param aggrs the property of a collection
    public static List<String> warnings(BsonValue aggrs) {
        var warnings = new ArrayList<String>();
        try {
            for (var aggregation : Aggregation.parseAll(aggrs)) {
                unknownStage(aggregation.stages())
                        .ifPresent(text -> warnings.add("aggrs: " + aggregation.uri() + " has the " + text));
            }
            for (var entry : aggrs.asArray()) {
                var uri = entry.asDocument().getString("uri").getValue();
                warnings.addAll(KEYS.warnings("aggrs: " + uri, entry.asDocument()));
            }
        } catch (ProblemException e) {
            warnings.add("no aggregation of this collection can be run: "
                    + e.problem()
                            .exceptionMessage()
                            .map(message -> message.asString().getValue())
                            .orElse(e.problem().message()));
        }
        return warnings;
    }

    /// The first stage whose name is a misspelling of a known one. Other unknown stages may be those of a
    /// later MongoDB.
    ///
    /// @param stages of an aggregation or a change stream
    public static Optional<String> unknownStage(List<BsonDocument> stages) {
        return stages.stream()
                .flatMap(stage -> stage.keySet().stream().limit(1))
                .filter(name -> name.startsWith("$") && !ReadingStages.known().contains(name))
                .flatMap(name -> Nearest.to(name, ReadingStages.known()).stream()
                        .map(near -> "unknown stage " + name + "; did you mean " + near + "?"))
                .findFirst();
    }
}
