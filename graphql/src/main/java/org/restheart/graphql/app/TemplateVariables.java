package org.restheart.graphql.app;

import java.util.IdentityHashMap;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.ExpressionBinding;
import org.restheart.bson.fields.FilterBinding;
import org.restheart.bson.fields.UnusableVariableException;
import org.restheart.bson.fields.Variables;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// The variables in a part of a mapping: `{"$arg": "name"}`, `{"$arg": ["name", default]}`, `{"$fk": "path"}`. They are
/// known by the place where the definition has them, so that no inserted value is taken for a variable. Immutable after
/// the part is read.
final class TemplateVariables {
    /// The end of the message about a variable that has no value.
    static final String NOT_BOUND = " not bound";

    private static final String ARG = "$arg";
    private static final String FK = "$fk";
    private static final int MAX_DEPTH = 100;

    private final IdentityHashMap<BsonValue, Variable> places = new IdentityHashMap<>();
    private final boolean allowOperators;

    /// @param allowOperators insert arguments unchanged
    TemplateVariables(boolean allowOperators) {
        this.allowOperators = allowOperators;
    }

    private sealed interface Variable {
        /// @param otherwise the default, which may have variables itself; null for none
        record Argument(String name, @Nullable BsonValue otherwise) implements Variable {}

        record ForeignKey(ValuePath path) implements Variable {}
    }

    boolean isEmpty() {
        return places.isEmpty();
    }

    /// Adds the variables of a value.
    ///
    /// @return a copy, in which they are found
    /// @throws InvalidApp naming what is wrong
    BsonValue read(BsonValue value) throws InvalidApp {
        return read(value, 0);
    }

    private BsonValue read(BsonValue value, int depth) throws InvalidApp {
        if (depth > MAX_DEPTH) {
            throw new InvalidApp("it is nested too deeply");
        }
        if (value.isDocument()) {
            var document = value.asDocument();
            if (document.containsKey(FK)) {
                return place(foreignKey(document.get(FK)));
            }
            if (document.containsKey(ARG)) {
                return place(argument(document, document.get(ARG), depth));
            }
            var copy = new BsonDocument(document.size());
            for (var member : document.entrySet()) {
                copy.append(member.getKey(), read(member.getValue(), depth + 1));
            }
            return copy;
        }
        if (value.isArray()) {
            var copy = new BsonArray();
            for (var element : value.asArray()) {
                copy.add(read(element, depth + 1));
            }
            return copy;
        }
        return value;
    }

    private BsonValue place(Variable variable) {
        var place = new BsonDocument();
        places.put(place, variable);
        return place;
    }

    private static Variable foreignKey(BsonValue operand) throws InvalidApp {
        if (!operand.isString()) {
            throw new InvalidApp("the operand of $fk must be a string");
        }
        return new Variable.ForeignKey(ValuePath.parse(operand.asString().getValue()));
    }

    private Variable argument(BsonDocument document, BsonValue operand, int depth) throws InvalidApp {
        if (document.size() != 1) {
            throw new InvalidApp("$arg must stand alone in its document");
        }
        var operands = operand.isArray() ? operand.asArray() : new BsonArray(List.of(operand));
        if (operands.isEmpty() || operands.size() > 2 || !operands.getFirst().isString()) {
            throw new InvalidApp("the operand of $arg must be a name, or a name and a default");
        }
        return new Variable.Argument(
                operands.getFirst().asString().getValue(),
                operands.size() < 2 ? null : read(operands.get(1), depth + 1));
    }

    Bound bind(MappingVariables values) {
        return new Bound(places, allowOperators, values);
    }

    record Bound(IdentityHashMap<BsonValue, Variable> places, boolean allowOperators, MappingVariables values)
            implements Variables {

        boolean isBound(BsonString name) {
            return values.find(name.getValue()).isPresent();
        }

        /// What the definition has, with defaults instead of the variables that are not bound.
        ///
        /// @throws ProblemException 400 for a variable that is neither bound nor has a default
        BsonValue withDefaults(BsonValue node) {
            var variable = places.get(node);
            if (variable != null) {
                if (!(variable instanceof Variable.Argument(var name, var otherwise))
                        || values.find(name).isPresent()) {
                    return node;
                }
                if (otherwise == null) {
                    throw refusal("variable " + name + NOT_BOUND);
                }
                return withDefaults(otherwise);
            }
            return switch (node) {
                case BsonDocument document -> {
                    var copy = new BsonDocument(document.size());
                    document.forEach((name, member) -> copy.append(name, withDefaults(member)));
                    yield copy;
                }
                case BsonArray array ->
                    new BsonArray(array.stream().map(this::withDefaults).toList());
                default -> node;
            };
        }

        @Override
        public @Nullable Binding of(BsonValue node) {
            return switch (places.get(node)) {
                case null -> null;
                case Variable.ForeignKey(var path) ->
                    new Binding.Value(path.find(values.parent()).orElse(BsonNull.VALUE));
                case Variable.Argument argument -> argument(argument.name());
            };
        }

        private Binding argument(String name) {
            var value = values.find(name).orElseThrow(() -> refusal("variable " + name + NOT_BOUND));
            if (!values.isArgument(name)) {
                return new Binding.Value(value);
            }
            if (allowOperators) {
                return new Binding.AsIs(value);
            }
            if (hasOperator(value)) {
                throw refusal("the argument " + name + " must not contain keys that begin with $");
            }
            return values.isPattern(name) ? new Binding.AsIs(value) : new Binding.Value(value);
        }

        @Override
        public boolean comparesNull() {
            return true;
        }

        private static boolean hasOperator(BsonValue value) {
            if (value.isDocument()) {
                return value.asDocument().entrySet().stream()
                        .anyMatch(member -> member.getKey().startsWith("$") || hasOperator(member.getValue()));
            }
            return value.isArray() && value.asArray().stream().anyMatch(Bound::hasOperator);
        }
    }

    static ProblemException refusal(String message) {
        return new ProblemException(ProblemCode.QUERY_INVALID, message);
    }

    static ProblemException refusal(UnusableVariableException e) {
        return refusal(String.valueOf(e.getMessage()));
    }

    /// A part of a mapping with variables in it ([TemplateVariables]), for whose values literals are inserted.
    /// Immutable.
    ///
    /// @param definition as [TemplateVariables] has read it
    record Template(BsonValue definition, TemplateVariables variables, Position position) {

        /// What is inserted into.
        enum Position {
            /// A filter: values are compared, they are never operators or patterns.
            FILTER,
            /// Parts of queries that are no filters, such as a sort: values that MongoDB would evaluate are refused.
            PLAIN,
            /// Named values, which are data whatever they look like.
            VALUES
        }

        /// @param allowOperators insert arguments unchanged
        /// @throws InvalidApp naming what is wrong
        static Template of(BsonValue value, Position position, boolean allowOperators) throws InvalidApp {
            var variables = new TemplateVariables(allowOperators);
            return new Template(variables.read(value), variables, position);
        }

        /// @throws ProblemException 400 for a variable that is not bound or whose value is not allowed
        BsonValue fill(MappingVariables values) {
            if (variables.isEmpty()) {
                return definition;
            }
            var bound = variables.bind(values);
            var chosen = bound.withDefaults(definition);
            try {
                return switch (position) {
                    case FILTER -> new FilterBinding(bound).bind(chosen);
                    case PLAIN -> new ExpressionBinding(bound).bindData(chosen, false);
                    case VALUES -> new ExpressionBinding(bound).bindData(chosen, true);
                };
            } catch (UnusableVariableException e) {
                throw TemplateVariables.refusal(e);
            }
        }
    }
}
