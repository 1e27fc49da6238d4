package org.restheart.rest.guard;

import com.mongodb.MongoNamespace;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.fields.Location;
import org.restheart.bson.fields.NamedOperators;
import org.restheart.bson.fields.Operators;
import org.restheart.bson.fields.Operators.Place;
import org.restheart.bson.fields.Stages;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.TimeSlices;
import org.restheart.mongo.metadata.ResourceNames;
import org.restheart.rest.guard.QuerySecurity.PipelineRules;

/// Checks a pipeline after its variables have been filled in, at any depth: against the [PipelineRules], and for what
/// no pipeline may do whatever these are. Thread-safe.
public final class PipelineInspection {
    private static final String VIOLATION = "aggregation pipeline security violation";

    /// Most members of documents, and documents and arrays in arrays, of a pipeline.
    private static final int MAX_MEMBERS = 100_000;

    private final BiFunction<String, String, Set<MongoNamespace>> sources;
    private final PipelineRules rules;
    private final QuerySecurity security;
    private final KnownOperators known;

    /// @param sources what a view of a database reads, by its name; empty for a collection. May wait for MongoDB
    public PipelineInspection(QuerySecurity security, BiFunction<String, String, Set<MongoNamespace>> sources) {
        this.sources = sources;
        this.rules = security.pipelines();
        this.security = security;
        this.known = new KnownOperators(security.additionalOperators());
    }

    /// @param db the database in which the pipeline runs
    /// @throws org.restheart.http.ProblemException 400 for a name that is not known; 403, saying what is forbidden
    ///     where; 413 for more than [#MAX_MEMBERS] members
    public void check(List<BsonDocument> pipeline, String db) {
        var walk = new Walk();
        pipeline.forEach(walk::count);
        var location = Location.of("pipeline");
        if (rules.enabled()) {
            checkStages(pipeline, db, location);
        }
        for (int i = 0; i < pipeline.size(); i++) {
            checkMembers(pipeline.get(i), db, location.element(i), false, walk);
        }
        new NamedOperators(this::requireKnown).pipeline(pipeline, location);
    }

    /// Unknown stages may read any collection, or be for MongoDB's processes alone: one connects to any address, one
    /// ends the process. Unknown operators may run code, which matters only if something is forbidden.
    private void requireKnown(Place place, String name, Location at) {
        if (place == Place.STAGE || rules.enabled() || security.forbidsOperators()) {
            known.visit(place, name, at);
        }
    }

    /// Refuses a reserved collection, such as the log of all writes, and a view over collections that no pipeline may
    /// access.
    ///
    /// @throws org.restheart.http.ProblemException 403
    public void requireOpen(MongoNamespace namespace) {
        var viewed = sources.apply(namespace.getDatabaseName(), namespace.getCollectionName());
        if (ResourceNames.isReservedDb(namespace.getDatabaseName())
                || ResourceNames.isReservedCollection(namespace.getCollectionName())) {
            throw new ProblemException(ProblemCode.FORBIDDEN, "reserved resource");
        }
        security.requireOpen(viewed);
    }

    /// Divides a check into time slices ([TimeSlices]). Confined to one thread.
    private static final class Walk {
        private final TimeSlices slices = new TimeSlices();
        private int members;

        /// Refuses pipelines that are too large before anything else is done with them.
        void count(BsonValue value) {
            slices.step();
            if (++members > MAX_MEMBERS) {
                throw new ProblemException(
                        ProblemCode.CONTENT_TOO_LARGE,
                        "a pipeline must not have more than " + MAX_MEMBERS + " members");
            }
            if (value instanceof BsonDocument document) {
                document.values().forEach(this::count);
            } else if (value instanceof BsonArray array) {
                array.stream().filter(PipelineInspection::isNested).forEach(this::count);
            }
        }
    }

    private static boolean isNested(BsonValue value) {
        return value.isDocument() || value.isArray();
    }

    /// What the rules say of stages, also of those in pipelines within stages.
    private void checkStages(List<? extends BsonValue> stages, String db, Location location) {
        for (int i = 0; i < stages.size(); i++) {
            if (stages.get(i) instanceof BsonDocument stage) {
                var at = location.element(i);
                stage.forEach((name, operand) -> {
                    if (rules.forbidsStage(name)) {
                        throw violation("BLACKLISTED_STAGE", name, at, "Pipeline stage is in security blacklist");
                    }
                    if (!rules.allowOtherDatabases()) {
                        Stages.reached(name, operand).ifPresent(reached -> checkDatabase(name, reached, db, at));
                    }
                    checkJavaScript(name, at);
                    Stages.pipelines(name, operand)
                            .forEach((inner, pipeline) ->
                                    checkStages(pipeline, db, at.member(name).member(inner)));
                });
            }
        }
    }

    private static void checkDatabase(String stage, Stages.Reached reached, String db, Location location) {
        int dot = reached.dot();
        if (!reached.written()
                && dot > 0
                && !reached.collection().substring(0, dot).equals(db)) {
            throw violation("CROSS_DATABASE_ACCESS", stage, location, "it reads another database");
        }
        if (reached.db().filter(other -> !other.equals(db)).isPresent()) {
            var type = reached.written() ? "CROSS_DATABASE_OUTPUT" : "CROSS_DATABASE_ACCESS";
            throw violation(type, stage, location, "it uses another database");
        }
    }

    private void checkJavaScript(String name, Location location) {
        if (rules.forbidsJavaScript(name)) {
            throw violation("JAVASCRIPT_EXECUTION", name, location, "JavaScript execution is not allowed");
        }
    }

    /// What holds at any depth.
    ///
    /// @param literal whether names are not operators, since they are within `$literal`
    private void checkMembers(BsonValue value, String db, Location location, boolean literal, Walk walk) {
        walk.slices.step();
        if (value instanceof BsonDocument document) {
            document.forEach((name, operand) -> {
                if (rules.forbidsOperator(name)) {
                    throw blacklisted(name, location);
                }
                checkJavaScript(name, location);
                Stages.reached(name, operand).ifPresent(reached -> checkOpen(name, reached, db, location));
                if (!literal) {
                    checkForbidden(name, location);
                }
                checkNewRoots(name, operand, location);
                if (isNested(operand)) {
                    checkMembers(operand, db, location.member(name), literal || name.equals("$literal"), walk);
                }
            });
        } else if (value instanceof BsonArray array) {
            for (int i = 0; i < array.size(); i++) {
                if (isNested(array.get(i))) {
                    checkMembers(array.get(i), db, location.element(i), literal, walk);
                }
            }
        }
    }

    /// Refuses new roots that are a boolean whatever the document. MongoDB refuses them too, once there is a document;
    /// releases up to 6.0 end with a segmentation fault, when they optimise one that has a constant operand.
    private static void checkNewRoots(String name, BsonValue operand, Location location) {
        switch (name) {
            case "$replaceRoot" -> checkNewRoot(name, Stages.member(operand, "newRoot"), location);
            case "$replaceWith" -> checkNewRoot(name, operand, location);
            default -> {}
        }
    }

    private static void checkNewRoot(String stage, BsonValue expression, Location location) {
        var root = expression;
        while (root instanceof BsonDocument document && document.containsKey("$let")) {
            root = Stages.member(document.get("$let"), "in");
        }
        if (root instanceof BsonDocument document && (document.containsKey("$and") || document.containsKey("$or"))) {
            throw new ProblemException(
                    ProblemCode.QUERY_INVALID,
                    "the new root of " + stage + " at " + location + " must be a document, but "
                            + document.getFirstKey() + " gives a boolean");
        }
    }

    /// Refuses access to reserved and withheld collections by any stage at any depth, even if the rules allow the
    /// stage.
    private void checkOpen(String stage, Stages.Reached reached, String db, Location location) {
        var name = reached.collection();
        int dot = reached.dot();
        requireOpen(stage, reached.db().orElse(db), name, location);
        if (dot > 0) { // `otherdb.coll`
            requireOpen(stage, name.substring(0, dot), name.substring(dot + 1), location);
        }
    }

    private void requireOpen(String stage, String db, String collection, Location location) {
        if (security.withholds(db, collection)
                || ResourceNames.isReservedDb(db)
                || ResourceNames.isReservedCollection(collection)) {
            throw violation("PROTECTED_COLLECTION", stage, location, "the collection is not for pipelines");
        }
        security.requireOpen(sources.apply(db, collection));
    }

    private void checkForbidden(String name, Location location) {
        if (Operators.isInternal(name)) {
            throw violation("INTERNAL_OPERATOR", name, location, "only processes of MongoDB use it");
        }
        if (security.forbiddenOperators().contains(name)) {
            throw blacklisted(name, location);
        }
    }

    /// Whether this refuses a pipeline for one of its stages or operators.
    public static boolean isViolation(Problem problem) {
        return problem.code() == ProblemCode.FORBIDDEN && problem.message().startsWith(VIOLATION);
    }

    private static RuntimeException blacklisted(String operator, Location location) {
        return violation("BLACKLISTED_OPERATOR", operator, location, "Operator is in security blacklist");
    }

    private static RuntimeException violation(String type, String operator, Location location, String reason) {
        return new ProblemException(
                ProblemCode.FORBIDDEN,
                VIOLATION + ": Security violation: " + type + " operator '" + operator + "' at " + location + " - "
                        + reason);
    }
}
