package org.restheart.graphql.app;

import static org.restheart.bson.BsonValues.several;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonValues;
import org.restheart.bson.fields.AnyName;
import org.restheart.bson.fields.ExpressionBinding;
import org.restheart.bson.fields.FilterBinding;
import org.restheart.bson.fields.Stages;
import org.restheart.bson.fields.UnusableVariableException;
import org.restheart.bson.fields.Variables;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.rest.aggregation.Interpolation.StageBinding;

/// A part of a mapping with variables in it, for whose values literals are inserted: `{"$arg": "name"}`,
/// `{"$arg": ["name", default]}`, `{"$fk": "path"}`; in a pipeline also stages that depend on them,
/// `{"$ifarg": [names, stage, otherwise]}`. Only the definition is searched for variables, so that no
/// inserted value is taken for one. Immutable by agreement.
///
/// @param isConstant whether it has no variables
/// @param allowOperators insert arguments unchanged
record Template(BsonValue definition, Position position, boolean isConstant, boolean allowOperators) {
    private static final String ARG = "$arg";
    private static final String FK = "$fk";
    private static final String IFARG = "$ifarg";
    private static final int MAX_DEPTH = 100;
    private static final int MAX_PIPELINES = 20;

    /// What is inserted into.
    enum Position {
        /// A filter: values are compared, they are never operators or patterns.
        FILTER,
        /// Parts of queries that are no filters, such as a sort: values that MongoDB would evaluate are
        /// refused.
        PLAIN,
        /// Named values, which are data whatever they look like.
        VALUES,
        /// A pipeline.
        STAGES
    }

    /// @throws InvalidApp naming what is wrong
    static Template of(BsonValue value, Position position, boolean allowOperators) throws InvalidApp {
        if (position == Position.STAGES) {
            checkStages(value.asArray(), 0);
        } else {
            check(value, 0);
        }
        boolean isConstant = !AnyName.in(value, Set.of(ARG, FK, IFARG)::contains);
        return new Template(value, position, isConstant, allowOperators);
    }

    private static void check(BsonValue value, int depth) throws InvalidApp {
        require(depth <= MAX_DEPTH, "it is nested too deeply");
        if (value instanceof BsonDocument document && document.containsKey(FK)) {
            require(document.isString(FK), "the operand of $fk must be a string");
        } else if (value instanceof BsonDocument document && document.containsKey(ARG)) {
            require(document.size() == 1, "$arg must stand alone in its document");
            var operands = several(document.get(ARG));
            require(
                    !operands.isEmpty()
                            && operands.size() <= 2
                            && operands.getFirst().isString(),
                    "the operand of $arg must be a name, or a name and a default");
            check(operands.getLast(), depth + 1);
        } else {
            for (var child : BsonValues.within(value).toList()) {
                check(child, depth + 1);
            }
        }
    }

    private static void require(boolean holds, String otherwise) throws InvalidApp {
        if (!holds) {
            throw new InvalidApp(otherwise);
        }
    }

    private static void checkStages(BsonArray pipeline, int depth) throws InvalidApp {
        require(depth <= MAX_PIPELINES, "it is nested too deeply");
        for (var stage : pipeline) {
            require(stage.isDocument(), "a stage must be an object");
            checkStage(stage.asDocument(), depth);
        }
    }

    private static void checkStage(BsonDocument stage, int depth) throws InvalidApp {
        if (stage.containsKey(IFARG)) {
            var parts = stage.get(IFARG) instanceof BsonArray array ? array : new BsonArray();
            require(
                    stage.size() == 1
                            && (parts.size() == 2 || parts.size() == 3)
                            && parts.stream().skip(1).allMatch(BsonValue::isDocument),
                    "$ifarg must be [names, stage] or [names, stage, else-stage]");
            var names = several(parts.getFirst());
            require(
                    !names.isEmpty() && names.stream().allMatch(BsonValue::isString),
                    "the names of $ifarg must be strings");
            for (var alternative : parts.subList(1, parts.size())) {
                checkStage(alternative.asDocument(), depth);
            }
            return;
        }
        for (var member : stage.entrySet()) {
            var pipelines = Stages.pipelines(member.getKey(), member.getValue());
            if (pipelines.isEmpty()) {
                check(member.getValue(), 0);
                continue;
            }
            for (var option : member.getValue().asDocument().entrySet()) {
                var pipeline = pipelines.get(option.getKey());
                if (pipeline == null) {
                    check(option.getValue(), 0);
                } else {
                    checkStages(pipeline, depth + 1);
                }
            }
        }
    }

    /// @throws ProblemException 400 for a variable that is not bound or whose value is not allowed
    BsonValue fill(MappingVariables values) {
        if (isConstant) {
            return definition;
        }
        var bound = new Bound(allowOperators, values);
        try {
            return switch (position) {
                case FILTER -> new FilterBinding(bound).bind(bound.withDefaults(definition));
                case PLAIN -> new ExpressionBinding(bound).bindData(bound.withDefaults(definition), false);
                case VALUES -> new ExpressionBinding(bound).bindData(bound.withDefaults(definition), true);
                case STAGES -> {
                    var stages = new StageBinding(bound);
                    yield new BsonArray(bound.chosen(definition.asArray()).stream()
                            .map(stage -> stages.stage(stage.asDocument()))
                            .toList());
                }
            };
        } catch (UnusableVariableException e) {
            throw refusal(String.valueOf(e.getMessage()));
        }
    }

    static ProblemException refusal(String message) {
        return new ProblemException(ProblemCode.QUERY_INVALID, message);
    }

    private record Bound(boolean allowOperators, MappingVariables values) implements Variables {
        /// The stages that are not left out, with defaults instead of the variables that are not bound.
        BsonArray chosen(BsonArray pipeline) {
            var stages = new BsonArray();
            pipeline.forEach(stage -> chosen(stage.asDocument()).ifPresent(stages::add));
            return stages;
        }

        private Optional<BsonDocument> chosen(BsonDocument stage) {
            if (stage.get(IFARG) instanceof BsonArray parts) {
                boolean isMet = several(parts.getFirst()).stream()
                        .allMatch(
                                name -> values.find(name.asString().getValue()).isPresent());
                int alternative = isMet ? 1 : 2;
                return alternative < parts.size()
                        ? chosen(parts.get(alternative).asDocument())
                        : Optional.empty();
            }
            return Optional.of(BsonValues.copy(stage, this::operand));
        }

        private BsonValue operand(String name, BsonValue operand) {
            var pipelines = Stages.pipelines(name, operand);
            if (pipelines.isEmpty()) {
                return withDefaults(operand);
            }
            return BsonValues.copy(operand.asDocument(), (option, value) -> {
                var pipeline = pipelines.get(option);
                return pipeline == null ? withDefaults(value) : chosen(pipeline);
            });
        }

        /// What the definition has, with defaults instead of the variables that are not bound.
        ///
        /// @throws ProblemException 400 for a variable that is neither bound nor has a default
        BsonValue withDefaults(BsonValue node) {
            return switch (node) {
                case BsonDocument document when document.containsKey(FK) -> node;
                case BsonDocument document
                when document.containsKey(ARG) -> {
                    var operands = several(document.get(ARG));
                    if (values.find(name(operands)).isPresent()) {
                        yield node;
                    }
                    if (operands.size() == 1) {
                        throw unbound(name(operands));
                    }
                    yield withDefaults(operands.get(1));
                }
                default -> BsonValues.copy(node, this::withDefaults);
            };
        }

        private static String name(List<BsonValue> operands) {
            return operands.getFirst().asString().getValue();
        }

        private static ProblemException unbound(String name) {
            return refusal("variable " + name + " not bound");
        }

        @Override
        public @Nullable Binding of(BsonValue node) {
            if (!(node instanceof BsonDocument document)) {
                return null;
            }
            if (document.get(FK) instanceof BsonString path) {
                var found = ValuePath.parse(path.getValue()).find(values.parent());
                return new Binding.Value(found.orElse(BsonNull.VALUE));
            }
            return document.containsKey(ARG) ? argument(name(several(document.get(ARG)))) : null;
        }

        private Binding argument(String name) {
            var value = values.find(name).orElseThrow(() -> unbound(name));
            if (!values.isArgument(name)) {
                return new Binding.Value(value);
            }
            if (allowOperators) {
                return new Binding.AsIs(value);
            }
            if (AnyName.in(value, key -> key.startsWith("$"))) {
                throw refusal("the argument " + name + " must not contain keys that begin with $");
            }
            return values.isPattern(name) ? new Binding.AsIs(value) : new Binding.Value(value);
        }

        @Override
        public boolean comparesNull() {
            return true;
        }
    }
}
