package org.restheart.bson.fields;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonValues;
import org.restheart.text.Words;

/// What MongoDB's plan of a query, as `explain` returns it, says of its cost. A plan scans if it reads a collection, or
/// an index from end to end, to find what a filter matches. Confined to one thread while it is read.
public final class QueryPlan {
    /// Stages that hand on documents as they are stored, so that an index could have their order.
    private static final Set<String> PLAIN = Words.of("""
        COLLSCAN IXSCAN CLUSTERED_IXSCAN FETCH OR AND_SORTED AND_HASH SORT_MERGE SUBPLAN SHARDING_FILTER CACHED_PLAN
        SORT_KEY_GENERATOR PROJECTION_SIMPLE PROJECTION_COVERED\
        """);

    /// Under which names a stage has the stages before it.
    private static final Set<String> INPUTS =
            Words.of("inputStage inputStages outerStage innerStage thenStage elseStage queryPlan");

    private static final Set<String> EVERYTHING = Set.of("[MinKey, MaxKey]", "[MaxKey, MinKey]");

    private final boolean isPipeline;
    private final long most;
    private Optional<String> namespace = Optional.empty();
    private boolean scans;
    private boolean sorts;
    private boolean isPartial;
    private boolean unitesScan;

    private QueryPlan(boolean isPipeline, long most) {
        this.isPipeline = isPipeline;
        this.most = most;
    }

    public static QueryPlan ofQuery(BsonDocument explained) {
        var plan = new QueryPlan(false, Long.MAX_VALUE);
        plan.read(explained);
        return plan;
    }

    /// Of a pipeline, which also scans if it reads all without a filter.
    ///
    /// @param most a pipeline that ends behind more documents reads all, too
    public static QueryPlan ofPipeline(BsonDocument explained, long most) {
        var plan = new QueryPlan(true, most);
        plan.read(explained);
        return plan;
    }

    public boolean scans() {
        return scans;
    }

    /// Whether a pipeline with which it unites its results scans.
    public boolean unitesScan() {
        return unitesScan;
    }

    /// Whether it sorts documents as they are stored in memory.
    public boolean sorts() {
        return sorts;
    }

    /// Whether it uses an index that serves some values only.
    public boolean isPartial() {
        return isPartial;
    }

    public Optional<String> namespace() {
        return namespace;
    }

    private void read(BsonValue part) {
        if (part instanceof BsonArray parts) {
            parts.forEach(this::read);
        }
        if (!(part instanceof BsonDocument members)) {
            return;
        }
        members.forEach((name, value) -> {
            switch (name) {
                case "queryPlanner", "stages", "$cursor", "$geoNearCursor" -> read(value);
                case "shards" ->
                    (value instanceof BsonDocument byName ? byName.values() : value.asArray()).forEach(this::read);
                case "$unionWith" -> {
                    var united = new QueryPlan(isPipeline, most);
                    united.read(Stages.member(value, "pipeline"));
                    unitesScan |= united.scans || united.unitesScan;
                }
                case "namespace" -> {
                    if (namespace.isEmpty() && value instanceof BsonString text) {
                        namespace = Optional.of(text.getValue());
                    }
                }
                case "winningPlan" -> {
                    if (value instanceof BsonDocument stage) {
                        stage(stage, Set.of(), false, isServedOtherwise(members.get("rejectedPlans")));
                    }
                }
                default -> {}
            }
        });
    }

    /// @param filtered the fields that stages behind this one compare
    /// @param isLimited whether a stage behind this one ends it early
    /// @param isPreferred whether another plan was rejected that does not scan
    private void stage(BsonDocument stage, Set<String> filtered, boolean isLimited, boolean isPreferred) {
        var fields = new HashSet<>(filtered);
        if (stage.get("filter") instanceof BsonDocument filter) {
            addFields(filter, fields);
        }
        var name = name(stage);
        boolean readsAll = isPipeline && fields.isEmpty() && !isLimited;
        switch (name) {
            case "COLLSCAN" -> scans |= !fields.isEmpty() || readsAll;
            case "IXSCAN" -> {
                isPartial |= stage.getBoolean("isPartial", BsonBoolean.FALSE).getValue();
                var pattern =
                        stage.getDocument("keyPattern", new BsonDocument()).keySet();
                scans |= reads(stage, true) && !isPreferred && (readsAll || !pattern.containsAll(fields));
            }
            case "SORT" -> sorts |= inputsAll(stage);
            default -> {}
        }
        boolean ends = switch (name) {
            case "LIMIT" -> isLimited || amount(stage, "limitAmount") <= most;
            case "SKIP" -> isLimited && amount(stage, "skipAmount") <= most;
            default -> isLimited;
        };
        inputs(stage).forEach(input -> stage(input, fields, ends, isPreferred));
        BsonValues.several(stage.get("shards")).forEach(this::read);
    }

    private static long amount(BsonDocument stage, String name) {
        return stage.getNumber(name, new BsonInt64(0)).longValue();
    }

    /// The stages before a stage.
    private static Stream<BsonDocument> inputs(BsonDocument stage) {
        return INPUTS.stream()
                .flatMap(input -> BsonValues.several(stage.get(input)).stream())
                .filter(BsonValue::isDocument)
                .map(BsonValue::asDocument);
    }

    private static String name(BsonDocument stage) {
        return stage.get("stage") instanceof BsonString name ? name.getValue() : "";
    }

    /// Whether a sort has only documents as they are stored, which no index for places or texts has
    /// found.
    private static boolean inputsAll(BsonDocument stage) {
        return inputs(stage)
                .allMatch(input -> PLAIN.contains(name(input))
                        && input.getDocument("keyPattern", new BsonDocument()).values().stream()
                                .noneMatch(BsonValue::isString)
                        && inputsAll(input));
    }

    /// Whether an index is there that serves the query, of which MongoDB expects no more than of the
    /// one that it reads.
    private boolean isServedOtherwise(@Nullable BsonValue plans) {
        return BsonValues.several(plans).stream()
                .anyMatch(plan -> plan instanceof BsonDocument stage && (reads(stage, false) || !scans(stage)));
    }

    private boolean scans(BsonDocument stage) {
        var plan = new QueryPlan(isPipeline, most);
        plan.stage(stage, Set.of(), false, false);
        return plan.scans;
    }

    /// Whether it is a scan of a whole index; or, if not `all`, whether it has one of a part of an
    /// index.
    private static boolean reads(BsonDocument stage, boolean all) {
        if (name(stage).equals("IXSCAN")) {
            boolean isWhole = stage.getDocument("indexBounds", new BsonDocument()).values().stream()
                    .allMatch(bounds -> BsonValues.several(bounds).stream()
                            .allMatch(
                                    bound -> bound instanceof BsonString text && EVERYTHING.contains(text.getValue())));
            return all == isWhole;
        }
        return !all && inputs(stage).anyMatch(input -> reads(input, false));
    }

    /// Adds the names of fields that a filter compares, and of operators that compare others.
    private static void addFields(BsonDocument filter, Set<String> fields) {
        filter.forEach((name, value) -> {
            if (value instanceof BsonArray clauses
                    && Set.of("$and", "$or", "$nor").contains(name)) {
                clauses.forEach(clause -> addFields(clause.asDocument(), fields));
            } else {
                fields.add(name);
            }
        });
    }
}
