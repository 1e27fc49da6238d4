package org.restheart.rest.aggregation;

import static org.restheart.http.ProblemCode.BAD_REQUEST;
import static org.restheart.http.ProblemCode.UNPROCESSABLE;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.BsonValues;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.bson.fields.ExpressionBinding;
import org.restheart.bson.fields.FilterBinding;
import org.restheart.bson.fields.Operators;
import org.restheart.bson.fields.UnusableVariableException;
import org.restheart.bson.fields.Variables;
import org.restheart.bson.fields.Variables.Binding;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.text.ShortText;

/// Substitutes variables in a pipeline: `{"$var": "name"}` and `{"$var": ["name", default]}` anywhere, and stages that
/// depend on variables, `{"$ifvar": ["name", stage, otherwise]}`. Values are literals: operators and field names in
/// them are not interpreted. Immutable.
///
/// @param variable the operator for a value
/// @param condition the operator for a stage
/// @param unescaped whose values are inserted without escaping
public record Interpolation(String variable, String condition, Unescaped unescaped) {
    public static final Interpolation OF_AGGREGATIONS = new Interpolation("$var", "$ifvar");

    private static final JsonEncoder JSON = JsonEncoder.of(JsonMode.RELAXED);

    private static final Set<String> FILTERS = Set.of("@mongoPermissions.readFilter", "@mongoPermissions.writeFilter");

    /// Whose values may contain operators.
    public enum Unescaped {
        NONE,
        OF_CLIENTS,
        ALL
    }

    public Interpolation(String variable, String condition) {
        this(variable, condition, Unescaped.NONE);
    }

    public Interpolation with(Unescaped other) {
        return new Interpolation(variable, condition, other);
    }

    public Interpolation forDefinition(boolean mayHaveOperators) {
        return mayHaveOperators ? with(Unescaped.ALL) : this;
    }

    /// The names of the variables in a pipeline; of paths into values also their first keys.
    Set<String> names(BsonValue pipeline) {
        var names = new HashSet<String>();
        collect(pipeline, names);
        return names;
    }

    private void collect(BsonValue value, Set<String> names) {
        if (value instanceof BsonDocument document) {
            document.forEach((key, operand) -> {
                if (key.equals(variable) || key.equals(condition)) {
                    var first = operand instanceof BsonArray array && !array.isEmpty() ? array.getFirst() : operand;
                    BsonTexts.several(first).forEach(name -> {
                        names.add(name);
                        names.add(name.split("[.\\[]", 2)[0]);
                    });
                }
            });
        }
        BsonValues.within(value).forEach(child -> collect(child, names));
    }

    /// @throws ProblemException 400 for a variable without value and default, 422 for a malformed operator
    public List<BsonDocument> fill(List<BsonDocument> stages, PipelineVariables variables) {
        var filled = new ArrayList<BsonDocument>();
        for (var stage : stages) {
            choose(stage, variables).ifPresent(chosen -> filled.add(stage(chosen, variables)));
        }
        return filled;
    }

    /// The stage itself, one of the alternatives of a conditional stage, or none.
    private Optional<BsonDocument> choose(BsonDocument stage, PipelineVariables variables) {
        var operand = stage.get(condition);
        if (operand == null) {
            return Optional.of(stage);
        }
        if (stage.size() != 1 || !operand.isArray()) {
            throw malformed(condition);
        }
        var parts = operand.asArray();
        if (parts.size() < 2 || parts.size() > 3 || parts.stream().skip(1).anyMatch(part -> !part.isDocument())) {
            throw malformed(condition);
        }
        if (allBound(parts.getFirst(), variables)) {
            return Optional.of(parts.get(1).asDocument());
        }
        return parts.size() == 3 ? Optional.of(parts.get(2).asDocument()) : Optional.empty();
    }

    private boolean allBound(BsonValue names, PipelineVariables variables) {
        var all = names.isArray() ? names.asArray() : new BsonArray(List.of(names));
        if (all.stream().anyMatch(name -> !name.isString())) {
            throw malformed(condition);
        }
        return all.stream()
                .allMatch(name -> variables.find(name.asString().getValue()).isPresent());
    }

    private BsonDocument stage(BsonDocument stage, PipelineVariables variables) {
        if (stage.containsKey(variable)) {
            return whole(stage, variables);
        }
        try {
            return new StageBinding(node -> binding(node, variables)).stage(stage);
        } catch (UnusableVariableException e) {
            throw unusable(e);
        }
    }

    /// A variable in place of a stage.
    private BsonDocument whole(BsonDocument stage, PipelineVariables variables) {
        if (binding(stage, variables) instanceof Binding.AsIs(BsonDocument filled)) {
            return filled;
        }
        throw malformed(variable);
    }

    private @Nullable Binding binding(BsonValue node, PipelineVariables variables) {
        if (!(node instanceof BsonDocument document)) {
            return null;
        }
        var operand = document.get(variable);
        if (operand == null) {
            return typed(document, variables);
        }
        if (document.size() != 1) {
            throw malformed(variable);
        }
        return bindingOf(operand, variables);
    }

    /// A variable within a type of Extended JSON: `{"$date": {"$var": "start"}}`.
    private @Nullable Binding typed(BsonDocument document, PipelineVariables variables) {
        var type = document.size() == 1 ? document.getFirstKey() : "";
        if (!Operators.TYPES.contains(type) || !(document.get(type) instanceof BsonDocument inner)) {
            return null;
        }
        return switch (binding(inner, variables)) {
            case Binding.Value(var value) -> new Binding.Value(typed(type, value));
            case Binding.AsIs(var value) -> new Binding.Value(typed(type, value));
            case null -> null;
            case Binding other -> other;
        };
    }

    private static BsonValue typed(String type, BsonValue value) {
        var text = switch (value) {
            case BsonString string -> string;
            case BsonNumber number when !type.equals("$date") -> new BsonString(JSON.encodeToString(number));
            default -> value;
        };
        try {
            return text.isString() || text.isNumber()
                    ? JsonParser.parse(JSON.encodeToString(new BsonDocument(type, text)))
                    : value;
        } catch (MalformedJsonException e) {
            throw Problem.of(BAD_REQUEST, "cannot execute aggregation")
                    .because(type + ": " + e.getMessage())
                    .raise();
        }
    }

    /// @param operand a name, or a name and a default
    private Binding bindingOf(BsonValue operand, PipelineVariables variables) {
        if (operand.isString()) {
            var name = operand.asString().getValue();
            return bound(name, variables.find(name).orElseThrow(() -> unbound(name)));
        }
        if (!operand.isArray()
                || operand.asArray().size() != 2
                || !operand.asArray().getFirst().isString()) {
            throw malformed(variable);
        }
        var nameAndDefault = operand.asArray();
        var name = nameAndDefault.getFirst().asString().getValue();
        return variables
                .find(name)
                .map(value -> bound(name, value))
                .orElseGet(() -> new Binding.AsIs(nameAndDefault.getLast()));
    }

    private Binding bound(String name, BsonValue value) {
        boolean isServers = name.startsWith("@");
        if (FILTERS.contains(name)) {
            return new Binding.Filter(value instanceof BsonDocument filter ? filter : new BsonDocument());
        }
        if (unescaped == Unescaped.ALL || (unescaped == Unescaped.OF_CLIENTS && !isServers)) {
            return new Binding.AsIs(value);
        }
        return isServers && value.isNull() ? new Binding.Absent() : new Binding.Value(value);
    }

    private static ProblemException unusable(UnusableVariableException e) {
        return Problem.of(BAD_REQUEST, "cannot execute aggregation")
                .because(String.valueOf(e.getMessage()))
                .raise();
    }

    private static ProblemException unbound(String name) {
        return Problem.of(BAD_REQUEST, "cannot execute aggregation")
                .because("variable " + name + " not bound")
                .withHints(List.of("values are passed as avars={\"" + ShortText.of(name, 50) + "\": …}"))
                .raise();
    }

    private static ProblemException malformed(String operator) {
        return Problem.of(UNPROCESSABLE, "invalid aggregation")
                .because("malformed " + operator)
                .raise();
    }

    /// Substitutes values in the stages of a pipeline according to their position: as literals in filters and
    /// expressions; elsewhere values that would be interpreted are refused. Immutable.
    public static final class StageBinding {
        private final Variables variables;
        private final FilterBinding filters;
        private final ExpressionBinding expressions;

        public StageBinding(Variables variables) {
            this.variables = variables;
            this.filters = new FilterBinding(variables);
            this.expressions = new ExpressionBinding(variables);
        }

        /// @throws org.restheart.bson.fields.UnusableVariableException for a value that would be interpreted
        public BsonDocument stage(BsonDocument stage) {
            return BsonValues.copy(stage, this::operand);
        }

        private BsonValue operand(String stage, BsonValue operand) {
            return switch (stage) {
                case "$match" -> filter(operand);
                case "$project", "$addFields", "$set" -> expressions.bindFields(operand);
                case "$group",
                        "$bucket",
                        "$bucketAuto",
                        "$setWindowFields",
                        "$fill",
                        "$sortByCount",
                        "$redact",
                        "$replaceRoot",
                        "$replaceWith" -> expressions.bind(operand);
                default ->
                    operand instanceof BsonDocument options && variables.of(operand) == null
                            ? BsonValues.copy(options, (name, value) -> option(stage, name, value))
                            : data(operand);
            };
        }

        private BsonValue option(String stage, String name, BsonValue value) {
            return switch (stage + "." + name) {
                case "$geoNear.query", "$graphLookup.restrictSearchWithMatch", "$vectorSearch.filter" -> filter(value);
                case "$lookup.let", "$merge.let", "$graphLookup.startWith" -> expressions.bind(value);
                case "$lookup.pipeline", "$unionWith.pipeline", "$merge.whenMatched" -> pipeline(value);
                default ->
                    switch (stage) {
                        case "$facet" -> pipeline(value);
                        case "$search", "$searchMeta", "$vectorSearch" -> expressions.bindData(value, true);
                        default -> data(value);
                    };
            };
        }

        private BsonValue filter(BsonValue filter) {
            return filters.bind(filter);
        }

        private BsonValue pipeline(BsonValue value) {
            if (!(value instanceof BsonArray stages)) {
                return data(value);
            }
            var bound = new BsonArray(stages.size());
            stages.forEach(stage -> bound.add(stage instanceof BsonDocument document ? stage(document) : data(stage)));
            return bound;
        }

        private BsonValue data(BsonValue value) {
            return expressions.bindData(value, false);
        }
    }
}
