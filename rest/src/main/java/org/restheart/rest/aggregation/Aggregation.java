package org.restheart.rest.aggregation;

import static org.restheart.http.ProblemCode.UNPROCESSABLE;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.fields.Location;
import org.restheart.bson.fields.NamedEntries;
import org.restheart.bson.fields.NamedOperators;
import org.restheart.bson.fields.Operators.Place;
import org.restheart.http.FoundWarnings;
import org.restheart.http.KnownKeys;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.mongo.metadata.EscapedKeys;
import org.restheart.rest.exchange.Caching;
import org.restheart.rest.guard.PipelineInspection;
import org.restheart.text.Nearest;
import org.restheart.text.ShortText;

/// One element of a collection's `aggrs`. Immutable by agreement.
///
/// @param stages unescaped, with variables
/// @param operatorsInVariables whether values may be operators and field names, as declared by the author
public record Aggregation(String uri, List<BsonDocument> stages, boolean allowDiskUse, boolean operatorsInVariables) {
    private static final KnownKeys KEYS =
            KnownKeys.of("uri type stages allowDiskUse operatorsInVariables cacheControl");

    private static final int MAX_QUOTED = 100;

    private static final Set<String> TYPES = Set.of(
            "aggregation_pipeline",
            "pipeline",
            "aggregation",
            "aggregate",
            "ap",
            "aggregationpipeline",
            "aggregation-pipeline",
            "aggregation pipeline");

    public Aggregation {
        stages = List.copyOf(stages);
    }

    /// All aggregations of a collection; fails if any of them is malformed.
    ///
    /// @throws ProblemException 422
    static List<Aggregation> parseAll(BsonValue aggrs) {
        if (!aggrs.isArray()) {
            throw wrong("'aggrs' must be an array of objects");
        }
        return aggrs.asArray().stream().map(Aggregation::parse).toList();
    }

    private static Aggregation parse(BsonValue value) {
        if (!value.isDocument()) {
            throw wrong("an element of 'aggrs' is not an object");
        }
        var definition = value.asDocument();
        var type = definition.getOrDefault("type", new BsonString("pipeline"));
        if (!type.isString() || !TYPES.contains(type.asString().getValue().toLowerCase(Locale.ROOT))) {
            throw wrong("'type' must be pipeline");
        }
        var uri = definition.get("uri");
        if (uri == null || !uri.isString()) {
            throw wrong("'uri' must be a string" + misspelt("uri", definition));
        }
        return new Aggregation(
                uri.asString().getValue(),
                stages(definition),
                flag(definition, "allowDiskUse"),
                flag(definition, "operatorsInVariables"));
    }

    private static List<BsonDocument> stages(BsonDocument definition) {
        var value = definition.get("stages");
        if (value == null || !value.isArray()) {
            throw wrong("'stages' must be an array of objects" + misspelt("stages", definition));
        }
        var stages = new ArrayList<BsonDocument>();
        for (var stage : value.asArray()) {
            if (!stage.isDocument()) {
                throw wrong("'stages' must be an array of objects");
            }
            stages.add(EscapedKeys.unescape(stage.asDocument()));
        }
        return stages;
    }

    private static boolean flag(BsonDocument definition, String name) {
        var value = definition.get(name);
        if (value != null && !value.isBoolean()) {
            throw wrong("'" + name + "' must be a boolean");
        }
        return value != null && value.asBoolean().getValue();
    }

    private static String misspelt(String missing, BsonDocument definition) {
        return definition.keySet().stream()
                .filter(key -> !definition.containsKey(missing)
                        && Nearest.to(key, List.of(missing)).isPresent())
                .findFirst()
                .map(key -> "; '" + key + "' has no effect, did you mean " + missing + "?")
                .orElse("");
    }

    private static ProblemException wrong(String why) {
        return Problem.of(UNPROCESSABLE, "unknown query type").because(why).raise();
    }

    /// The names of the variables that an aggregation reads; none of an unknown or malformed one.
    ///
    /// @param aggrs the property of a collection
    public static Set<String> variables(Optional<BsonValue> aggrs, String uri) {
        return aggrs.map(all -> NamedEntries.of(all).get(uri))
                .map(entry -> entry.get("stages"))
                .map(stages -> Interpolation.OF_AGGREGATIONS.names(EscapedKeys.unescape(stages)))
                .orElse(Set.of());
    }

    /// Mistakes because of which every run would fail, and keys without effect; empty if none is known.
    public static List<String> warnings(BsonValue aggrs) {
        var warnings = new ArrayList<String>();
        try {
            var all = parseAll(aggrs);
            warnings.addAll(NamedEntries.warnings(
                    "aggrs", all.stream().map(Aggregation::uri).toList()));
            for (var aggregation : all) {
                wrongStage(aggregation.stages())
                        .ifPresent(text -> warnings.add("aggrs: " + aggregation.uri() + " has the " + text));
            }
            for (var entry : aggrs.asArray()) {
                var uri = entry.asDocument().getString("uri").getValue();
                warnings.addAll(KEYS.warnings("aggrs: " + uri, entry.asDocument()));
                var control = entry.asDocument().get(Caching.PROPERTY);
                if (control != null && !Caching.isControl(control)) {
                    warnings.add("aggrs: " + uri + " has a cacheControl without effect: it must be a string");
                }
            }
        } catch (ProblemException e) {
            warnings.add("no aggregation of this collection can be run: "
                    + e.problem()
                            .cause()
                            .map(why -> why.asString().getValue())
                            .orElse(e.problem().message()));
        }
        return warnings;
    }

    /// Adds a warning for each aggregation that the configuration forbids; nothing about malformed ones.
    public static void warnOfForbidden(Request request, BsonValue aggrs, PipelineInspection inspection, String db) {
        try {
            for (var aggregation : parseAll(aggrs)) {
                Optional.of(aggregation.stages())
                        .filter(stages -> wrongStage(stages).isEmpty()) // else it has a warning of its own
                        .flatMap(stages -> refusal(stages, inspection, db))
                        .ifPresent(text -> FoundWarnings.add(
                                request, "aggrs: every run of " + aggregation.uri() + " will be refused: " + text));
            }
        } catch (ProblemException _) {
            // has a warning of its own
        }
    }

    private static Optional<String> refusal(List<BsonDocument> stages, PipelineInspection inspection, String db) {
        try {
            inspection.check(stages, db);
            return Optional.empty();
        } catch (ProblemException e) {
            return Optional.of(e.problem().message());
        }
    }

    /// The first stage that MongoDB refuses for its form, or whose name is a misspelling of a known one.
    public static Optional<String> wrongStage(List<BsonDocument> stages) {
        for (var stage : stages) {
            if (stage.size() != 1) {
                return Optional.of("stage {" + ShortText.of(String.join(", ", stage.keySet()), MAX_QUOTED)
                        + "}: each stage is an object of its own, with one key");
            }
            var name = stage.getFirstKey();
            if (!name.startsWith("$")) {
                return Optional.of("unknown stage " + ShortText.of(name, MAX_QUOTED)
                        + (Place.STAGE.known().contains("$" + name)
                                ? "; did you mean $" + name + "?"
                                : "; names of stages begin with $"));
            }
            if (name.equals("$group")
                    && stage.get(name) instanceof BsonDocument fields
                    && !fields.containsKey("_id")
                    && fields.keySet().stream().noneMatch(key -> key.startsWith("$"))) {
                return Optional.of("stage $group without _id; _id: null makes one group of all");
            }
        }
        return NamedOperators.unknown(walk -> walk.pipeline(stages, Location.of("stages")), _ -> Optional.empty())
                .stream()
                .filter(unknown -> unknown.meant().isPresent()) // others may be those of a later MongoDB
                .findFirst()
                .map(unknown -> unknown.toString().substring("the ".length()));
    }
}
