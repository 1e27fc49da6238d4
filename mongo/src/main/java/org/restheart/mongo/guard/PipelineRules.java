package org.restheart.mongo.guard;

import static org.restheart.mongo.guard.PipelineInspection.isNested;
import static org.restheart.mongo.guard.PipelineInspection.lower;
import static org.restheart.mongo.guard.PipelineInspection.member;
import static org.restheart.mongo.guard.PipelineInspection.violation;

import java.util.Set;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.http.TimeSlices;

/// The restrictions of aggregations: which stages, in pipelines within stages too, and which operators. Names are
/// compared without regard to case. Immutable.
///
/// @param enabled false allows every pipeline
/// @param stages refused, also in pipelines within stages
/// @param operators refused at any depth
/// @param allowOtherDatabases whether stages may read from and write to other databases
/// @param allowJavaScript whether stages may run code in the database
public record PipelineRules(
        boolean enabled,
        Set<String> stages,
        Set<String> operators,
        boolean allowOtherDatabases,
        boolean allowJavaScript) {
    static final Set<String> JAVASCRIPT = Set.of("$where", "$function", "$accumulator");

    public static final PipelineRules DEFAULT = new PipelineRules(
            true, Set.of("$out", "$merge", "$lookup", "$graphLookup", "$unionWith"), JAVASCRIPT, false, false);

    public static final PipelineRules NONE = new PipelineRules(false, Set.of(), Set.of(), true, true);

    public PipelineRules {
        stages = lowerCase(stages);
        operators = lowerCase(operators);
    }

    private static Set<String> lowerCase(Set<String> names) {
        return names.stream().map(PipelineInspection::lower).collect(Collectors.toUnmodifiableSet());
    }

    /// @param db the database in which the pipeline runs
    /// @throws org.restheart.http.ProblemException 403, saying what is forbidden where
    void check(BsonDocument stage, String db, Location location, TimeSlices slices) {
        if (enabled) {
            checkStage(stage, db, location, slices);
        }
    }

    private void checkStage(BsonDocument stage, String db, Location location, TimeSlices slices) {
        stage.forEach((name, value) -> {
            if (stages.contains(lower(name))) {
                throw violation("BLACKLISTED_STAGE", name, location, "Pipeline stage is in security blacklist");
            }
            checkDatabase(name, value, db, location);
            if (!allowJavaScript && JAVASCRIPT.contains(lower(name))) {
                throw violation("JAVASCRIPT_EXECUTION", name, location, "JavaScript execution is not allowed");
            }
            checkInner(name, value, db, location.member(name), slices);
        });
        checkOperators(stage, location, slices);
    }

    private void checkDatabase(String stage, BsonValue value, String db, Location location) {
        if (allowOtherDatabases) {
            return;
        }
        switch (lower(stage)) {
            case "$lookup", "$graphlookup" -> checkSource(stage, member(value, "from"), db, location);
            case "$unionwith" -> checkSource(stage, value.isDocument() ? member(value, "coll") : value, db, location);
            case "$out" -> checkTarget(stage, value, db, location);
            case "$merge" -> checkTarget(stage, member(value, "into"), db, location);
            default -> {}
        }
        if (lower(stage).equals("$unionwith")) {
            checkTargetDatabase("CROSS_DATABASE_ACCESS", stage, value, db, location);
        }
    }

    /// `otherdb.coll`, or `{db: …, coll: …}`.
    private static void checkSource(String stage, BsonValue source, String db, Location location) {
        if (source.isString()) {
            var name = source.asString().getValue();
            int dot = name.indexOf('.');
            if (dot > 0 && !name.substring(0, dot).equals(db)) {
                throw violation("CROSS_DATABASE_ACCESS", stage, location, "it reads another database");
            }
        }
        checkTargetDatabase("CROSS_DATABASE_ACCESS", stage, source, db, location);
    }

    private static void checkTarget(String stage, BsonValue target, String db, Location location) {
        checkTargetDatabase("CROSS_DATABASE_OUTPUT", stage, target, db, location);
    }

    private static void checkTargetDatabase(String type, String stage, BsonValue target, String db, Location location) {
        var named = member(target, "db");
        if (named.isString() && !named.asString().getValue().equals(db)) {
            throw violation(type, stage, location, "it uses another database");
        }
    }

    /// Pipelines within stages.
    private void checkInner(String stage, BsonValue value, String db, Location location, TimeSlices slices) {
        switch (lower(stage)) {
            case "$facet" -> {
                if (value.isDocument()) {
                    value.asDocument()
                            .forEach((name, inner) -> checkPipeline(inner, db, location.member(name), slices));
                }
            }
            case "$lookup", "$unionwith" ->
                checkPipeline(member(value, "pipeline"), db, location.member("pipeline"), slices);
            case "$merge" -> checkPipeline(member(value, "whenMatched"), db, location.member("whenMatched"), slices);
            default -> {}
        }
    }

    private void checkPipeline(BsonValue pipeline, String db, Location location, TimeSlices slices) {
        if (pipeline.isArray()) {
            var stages = pipeline.asArray();
            for (int i = 0; i < stages.size(); i++) {
                if (stages.get(i).isDocument()) {
                    checkStage(stages.get(i).asDocument(), db, location.element(i), slices);
                }
            }
        }
    }

    private void checkOperators(BsonValue value, Location location, TimeSlices slices) {
        slices.step();
        if (value instanceof BsonDocument document) {
            document.forEach((name, member) -> {
                if (operators.contains(lower(name))) {
                    throw violation("BLACKLISTED_OPERATOR", name, location, "Operator is in security blacklist");
                }
                if (!allowJavaScript && JAVASCRIPT.contains(lower(name))) {
                    throw violation("JAVASCRIPT_EXECUTION", name, location, "JavaScript execution is not allowed");
                }
                if (isNested(member)) {
                    checkOperators(member, location.member(name), slices);
                }
            });
        } else if (value instanceof BsonArray array) {
            for (int i = 0; i < array.size(); i++) {
                if (isNested(array.get(i))) {
                    checkOperators(array.get(i), location.element(i), slices);
                }
            }
        }
    }
}
