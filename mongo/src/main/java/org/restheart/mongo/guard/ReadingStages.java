package org.restheart.mongo.guard;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.fields.Stages;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Words;
import org.restheart.mongo.guard.QuerySecurity.PipelineRules;

/// The stages that a pipeline with the rights of a caller may contain. All others are refused, also those of
/// later releases of MongoDB and those that its processes send to each other.
///
/// @param stages that are allowed, in pipelines within stages too
/// @param metadata whether `$meta` is allowed, which returns keys of indexes, hidden fields included
public record ReadingStages(Set<String> stages, boolean metadata) {
    /// Stages whose results depend on their input only.
    private static final Set<String> PURE = Words.of("""
            $addFields $bucket $bucketAuto $count $densify $facet $fill $group $limit $match $project $redact
            $replaceRoot $replaceWith $sample $set $setWindowFields $skip $sort $sortByCount $unset $unwind
            """);

    /// Stages that must be first, and read the collection by an index.
    private static final Set<String> SEARCHES = Set.of("$geoNear", "$search", "$searchMeta", "$vectorSearch");

    private static final Set<String> OTHER_COLLECTIONS =
            Set.of("$documents", "$graphLookup", "$lookup", "$rankFusion", "$scoreFusion", "$unionWith");

    /// After stages that hide documents or fields.
    public static final ReadingStages WITHIN_RULES = new ReadingStages(PURE, false);

    /// The stages that read from the whole collection.
    public static final ReadingStages OF_COLLECTION = new ReadingStages(union(PURE, SEARCHES), true);

    /// The stages that read from the whole database.
    public static final ReadingStages OF_EVERYTHING =
            new ReadingStages(union(OF_COLLECTION.stages, OTHER_COLLECTIONS), true);

    /// Stages that write, look elsewhere, or are this gateway's own.
    private static final Set<String> FURTHER = Words.of("""
            $changeStream $changeStreamSplitLargeEvent $collStats $currentOp $ifvar $indexStats $listSearchIndexes
            $listSessions $merge $out $planCacheStats $var
            """);

    private static final Set<String> KNOWN = union(OF_EVERYTHING.stages, FURTHER);

    /// The names of all known stages, allowed or not.
    public static Set<String> known() {
        return KNOWN;
    }

    private static Set<String> union(Set<String> some, Set<String> others) {
        return Stream.concat(some.stream(), others.stream()).collect(Collectors.toUnmodifiableSet());
    }

    /// @throws org.restheart.http.ProblemException 403 naming the stage or operator that is not allowed, and
    ///     its place
    public void check(List<? extends BsonValue> pipeline) {
        checkStages(pipeline, Location.of("pipeline"));
    }

    private void checkStages(List<? extends BsonValue> pipeline, Location location) {
        for (int i = 0; i < pipeline.size(); i++) {
            var at = location.element(i);
            if (pipeline.get(i) instanceof BsonDocument stage) {
                stage.forEach((name, operand) -> {
                    require(stages.contains(name), name, at);
                    checkOperators(operand, at.member(name));
                    Stages.pipelines(name, operand)
                            .forEach((inner, within) ->
                                    checkStages(within, at.member(name).member(inner)));
                });
            }
        }
    }

    private void checkOperators(BsonValue value, Location location) {
        if (value instanceof BsonDocument document) {
            document.forEach((name, operand) -> {
                require(
                        !PipelineRules.JAVASCRIPT.contains(name) && (metadata || !name.equals("$meta")),
                        name,
                        location);
                if (!name.equals("$literal")) {
                    checkOperators(operand, location.member(name));
                }
            });
        } else if (value instanceof BsonArray array) {
            for (int i = 0; i < array.size(); i++) {
                checkOperators(array.get(i), location.element(i));
            }
        }
    }

    private static void require(boolean allowed, String name, Location location) {
        if (!allowed) {
            throw new ProblemException(
                    ProblemCode.FORBIDDEN,
                    "'" + name + "' at " + location + " is not allowed in pipelines of clients"
                            + (known().contains("$" + name) ? "; did you mean $" + name + "?" : ""));
        }
    }
}
