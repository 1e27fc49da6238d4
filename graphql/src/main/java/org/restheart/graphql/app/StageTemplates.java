package org.restheart.graphql.app;

import static org.restheart.graphql.app.Template.Position.EXPRESSION;
import static org.restheart.graphql.app.Template.Position.QUERY;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// A pipeline with variables, and with stages that depend on them: `{"$ifarg": [names, stage, otherwise]}`. Immutable.
final class StageTemplates {
    private static final String IFARG = "$ifarg";

    /// Stages whose operands are not expressions.
    private static final Set<String> PLAIN = Set.of(
            "$match",
            "$limit",
            "$skip",
            "$sample",
            "$sort",
            "$count",
            "$unset",
            "$geoNear",
            "$search",
            "$searchMeta",
            "$vectorSearch",
            "$unionWith");

    private final List<Stage> stages;

    private StageTemplates(List<Stage> stages) {
        this.stages = List.copyOf(stages);
    }

    @FunctionalInterface
    private interface Stage {
        /// Empty if the stage is left out.
        Optional<BsonDocument> fill(MappingVariables variables);
    }

    /// @throws InvalidApp naming what is wrong
    static StageTemplates of(BsonArray pipeline, boolean allowOperators) throws InvalidApp {
        return of(pipeline, allowOperators, 0);
    }

    private static StageTemplates of(BsonArray pipeline, boolean allowOperators, int depth) throws InvalidApp {
        if (depth > 20) {
            throw new InvalidApp("it is nested too deeply");
        }
        var stages = new ArrayList<Stage>();
        for (var stage : pipeline) {
            if (!stage.isDocument()) {
                throw new InvalidApp("a stage must be an object");
            }
            stages.add(stage(stage.asDocument(), allowOperators, depth));
        }
        return new StageTemplates(stages);
    }

    List<BsonDocument> fill(MappingVariables variables) {
        return stages.stream().flatMap(stage -> stage.fill(variables).stream()).toList();
    }

    private static Stage stage(BsonDocument stage, boolean allowOperators, int depth) throws InvalidApp {
        var condition = stage.get(IFARG);
        if (condition != null) {
            return conditional(stage, condition, allowOperators, depth);
        }
        var members = new LinkedHashMap<String, Template>();
        for (var member : stage.entrySet()) {
            members.put(member.getKey(), operand(member.getKey(), member.getValue(), allowOperators, depth));
        }
        return variables -> {
            var filled = new BsonDocument();
            members.forEach((name, operand) -> filled.append(name, operand.fill(variables)));
            return Optional.of(filled);
        };
    }

    private static Template operand(String name, BsonValue value, boolean allowOperators, int depth) throws InvalidApp {
        if (value.isDocument() && Set.of("$facet", "$lookup", "$unionWith").contains(name)) {
            var members = new LinkedHashMap<String, Template>();
            for (var member : value.asDocument().entrySet()) {
                var inner = member.getValue();
                boolean isPipeline = inner.isArray()
                        && (name.equals("$facet") || member.getKey().equals("pipeline"));
                if (isPipeline) {
                    var stages = of(inner.asArray(), allowOperators, depth + 1);
                    members.put(member.getKey(), variables -> new BsonArray(stages.fill(variables)));
                } else {
                    members.put(
                            member.getKey(),
                            Template.of(inner, member.getKey().equals("let") ? EXPRESSION : QUERY, allowOperators));
                }
            }
            return variables -> {
                var filled = new BsonDocument();
                members.forEach((key, member) -> filled.append(key, member.fill(variables)));
                return filled;
            };
        }
        return Template.of(value, PLAIN.contains(name) ? QUERY : EXPRESSION, allowOperators);
    }

    private static Stage conditional(BsonDocument stage, BsonValue condition, boolean allowOperators, int depth)
            throws InvalidApp {
        var parts = condition.isArray() ? condition.asArray() : new BsonArray();
        if (stage.size() != 1
                || parts.size() < 2
                || parts.size() > 3
                || parts.stream().skip(1).anyMatch(part -> !part.isDocument())) {
            throw new InvalidApp("$ifarg must be [names, stage] or [names, stage, else-stage]");
        }
        var names = parts.getFirst().isArray() ? parts.getFirst().asArray() : new BsonArray(List.of(parts.getFirst()));
        if (names.isEmpty() || names.stream().anyMatch(name -> !name.isString())) {
            throw new InvalidApp("the names of $ifarg must be strings");
        }
        var then = stage(parts.get(1).asDocument(), allowOperators, depth);
        var otherwise = parts.size() == 3
                ? stage(parts.get(2).asDocument(), allowOperators, depth)
                : (Stage) _ -> Optional.empty();
        return variables -> names.stream()
                        .allMatch(name ->
                                variables.find(name.asString().getValue()).isPresent())
                ? then.fill(variables)
                : otherwise.fill(variables);
    }
}
