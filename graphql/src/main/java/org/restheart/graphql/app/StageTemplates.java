package org.restheart.graphql.app;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.fields.Stages;
import org.restheart.bson.fields.UnusableVariableException;
import org.restheart.http.ProblemException;
import org.restheart.mongo.aggregation.Interpolation.StageBinding;

/// A pipeline with variables, and with stages that depend on them: `{"$ifarg": [names, stage, otherwise]}`. Immutable.
record StageTemplates(TemplateVariables variables, List<StageTemplates.Stage> stages) {
    private static final String IFARG = "$ifarg";
    private static final int MAX_DEPTH = 20;

    @FunctionalInterface
    interface Stage {
        /// What the definition has for these variables; empty if the stage is left out.
        Optional<BsonDocument> choose(TemplateVariables.Bound variables);
    }

    @FunctionalInterface
    private interface Operand {
        BsonValue choose(TemplateVariables.Bound variables);
    }

    /// @param allowOperators insert arguments unchanged
    /// @throws InvalidApp naming what is wrong
    static StageTemplates of(BsonArray pipeline, boolean allowOperators) throws InvalidApp {
        var variables = new TemplateVariables(allowOperators);
        return new StageTemplates(variables, new Reader(variables).stages(pipeline, 0));
    }

    /// @throws ProblemException 400 for a variable that is not bound or whose value is not allowed
    List<BsonDocument> fill(MappingVariables values) {
        var bound = variables.bind(values);
        var binding = new StageBinding(bound);
        try {
            return choose(stages, bound).stream().map(binding::stage).toList();
        } catch (UnusableVariableException e) {
            throw TemplateVariables.refusal(e);
        }
    }

    private static List<BsonDocument> choose(List<Stage> stages, TemplateVariables.Bound variables) {
        return stages.stream()
                .flatMap(stage -> stage.choose(variables).stream())
                .toList();
    }

    private record Reader(TemplateVariables variables) {
        List<Stage> stages(BsonArray pipeline, int depth) throws InvalidApp {
            if (depth > MAX_DEPTH) {
                throw new InvalidApp("it is nested too deeply");
            }
            var stages = new ArrayList<Stage>();
            for (var stage : pipeline) {
                if (!stage.isDocument()) {
                    throw new InvalidApp("a stage must be an object");
                }
                stages.add(stage(stage.asDocument(), depth));
            }
            return List.copyOf(stages);
        }

        private Stage stage(BsonDocument stage, int depth) throws InvalidApp {
            var condition = stage.get(IFARG);
            if (condition != null) {
                return conditional(stage, condition, depth);
            }
            var members = new LinkedHashMap<String, Operand>();
            for (var member : stage.entrySet()) {
                members.put(member.getKey(), operand(member.getKey(), member.getValue(), depth));
            }
            return bound -> {
                var chosen = new BsonDocument();
                members.forEach((name, operand) -> chosen.append(name, operand.choose(bound)));
                return Optional.of(chosen);
            };
        }

        private Operand operand(String name, BsonValue value, int depth) throws InvalidApp {
            var pipelines = Stages.pipelines(name, value);
            if (pipelines.isEmpty()) {
                return data(value);
            }
            var members = new LinkedHashMap<String, Operand>();
            for (var member : value.asDocument().entrySet()) {
                var pipeline = pipelines.get(member.getKey());
                if (pipeline != null && pipeline.equals(member.getValue())) {
                    var stages = stages(pipeline, depth + 1);
                    members.put(member.getKey(), bound -> new BsonArray(choose(stages, bound)));
                } else {
                    members.put(member.getKey(), data(member.getValue()));
                }
            }
            return bound -> {
                var chosen = new BsonDocument();
                members.forEach((key, member) -> chosen.append(key, member.choose(bound)));
                return chosen;
            };
        }

        private Operand data(BsonValue value) throws InvalidApp {
            var read = variables.read(value);
            return bound -> bound.withDefaults(read);
        }

        private Stage conditional(BsonDocument stage, BsonValue condition, int depth) throws InvalidApp {
            var parts = condition.isArray() ? condition.asArray() : new BsonArray();
            if (stage.size() != 1
                    || parts.size() < 2
                    || parts.size() > 3
                    || parts.stream().skip(1).anyMatch(part -> !part.isDocument())) {
                throw new InvalidApp("$ifarg must be [names, stage] or [names, stage, else-stage]");
            }
            var names =
                    parts.getFirst().isArray() ? parts.getFirst().asArray() : new BsonArray(List.of(parts.getFirst()));
            if (names.isEmpty() || names.stream().anyMatch(name -> !name.isString())) {
                throw new InvalidApp("the names of $ifarg must be strings");
            }
            var then = stage(parts.get(1).asDocument(), depth);
            var otherwise = parts.size() == 3 ? stage(parts.get(2).asDocument(), depth) : (Stage) _ -> Optional.empty();
            return bound -> names.stream().allMatch(name -> bound.isBound(name.asString()))
                    ? then.choose(bound)
                    : otherwise.choose(bound);
        }
    }
}
