package org.restheart.bson.fields;

import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;
import org.restheart.bson.fields.Variables.Binding;

/// Substitutes variables in filters by literal values: a document, a list or a regular expression is compared and never
/// interpreted, and an absent value matches nothing, even inside a negation. Immutable.
///
/// @param isNegated whether a negation surrounds the filter: what is left out of it would let more documents match
public record FilterBinding(Variables variables, boolean isNegated) {
    /// Matches no document.
    public static final BsonDocument NOTHING = new BsonDocument("_id", new BsonDocument("$in", new BsonArray()));

    public FilterBinding(Variables variables) {
        this(variables, false);
    }

    /// @throws UnusableVariableException for a value that can only be an operator
    public BsonDocument bind(BsonValue filter) {
        return filter(filter).orElse(NOTHING);
    }

    /// Empty for one that matches nothing.
    private Optional<BsonDocument> filter(BsonValue node) {
        var binding = variables.of(node);
        if (binding != null) {
            return switch (binding) {
                case Binding.AsIs(BsonDocument filter) -> Optional.of(filter);
                case Binding.Filter(var filter) -> Optional.of(filter);
                case Binding.Value(BsonDocument fields) -> Optional.of(equalities(fields));
                case Binding.Absent() -> Optional.empty();
                case Binding.AsIs _, Binding.Value _ -> throw unusable("a filter");
            };
        }
        if (!(node instanceof BsonDocument document)) {
            throw unusable("a filter");
        }
        return each(document, this::clause);
    }

    /// Empty if one of the fields becomes nothing.
    private static Optional<BsonDocument> each(
            BsonDocument document, BiFunction<String, BsonValue, Optional<? extends BsonValue>> binding) {
        var bound = new BsonDocument(document.size());
        for (Map.Entry<String, BsonValue> entry : document.entrySet()) {
            var value = binding.apply(entry.getKey(), entry.getValue());
            if (value.isEmpty()) {
                return Optional.empty();
            }
            bound.append(entry.getKey(), value.get());
        }
        return Optional.of(bound);
    }

    private static BsonDocument equalities(BsonDocument fields) {
        var filter = new BsonDocument(fields.size());
        fields.forEach((name, value) -> {
            if (name.startsWith("$")) {
                throw unusable("an operator");
            }
            filter.append(name, equality(value));
        });
        return filter;
    }

    private static BsonValue equality(BsonValue value) {
        return value.isDocument() || value.isArray() || value.isRegularExpression()
                ? new BsonDocument("$eq", value)
                : value;
    }

    private Optional<? extends BsonValue> clause(String name, BsonValue operand) {
        return switch (name) {
            case "$and" -> all(operand);
            case "$or" -> isNegated ? all(operand) : any(operand);
            case "$nor" -> new FilterBinding(variables, true).all(operand);
            case "$expr" -> occursAbsent(operand) ? Optional.empty() : Optional.of(expression(operand));
            case "$comment" -> Optional.of(operand);
            case "$where" -> Optional.of(isOwn(operand) ? operand : refused());
            default -> name.startsWith("$") ? data(operand) : condition(operand);
        };
    }

    private BsonValue expression(BsonValue operand) {
        return new ExpressionBinding(variables).bind(operand);
    }

    private Optional<BsonArray> all(BsonValue operand) {
        var bound = new BsonArray();
        for (var branch : branches(operand)) {
            var filter = filter(branch);
            if (filter.isEmpty()) {
                return Optional.empty();
            }
            bound.add(filter.get());
        }
        return Optional.of(bound);
    }

    private Optional<BsonArray> any(BsonValue operand) {
        var branches = branches(operand);
        var bound = new BsonArray();
        branches.forEach(branch -> filter(branch).ifPresent(bound::add));
        return bound.isEmpty() && !branches.isEmpty() ? Optional.empty() : Optional.of(bound);
    }

    private BsonArray branches(BsonValue operand) {
        return switch (variables.of(operand)) {
            case Binding.AsIs(BsonArray filters) -> filters;
            case null -> operand instanceof BsonArray filters ? filters : new BsonArray();
            default -> throw unusable("a list of filters");
        };
    }

    /// The condition on one field.
    private Optional<? extends BsonValue> condition(BsonValue node) {
        var binding = variables.of(node);
        if (binding != null) {
            return switch (binding) {
                case Binding.AsIs(var value) -> Optional.of(value);
                case Binding.Value(var value) -> Optional.of(equality(value));
                case Binding.Filter(var filter) -> Optional.of(equality(filter));
                case Binding.Absent() -> Optional.empty();
            };
        }
        if (!(node instanceof BsonDocument operators) || operators.isEmpty() || !hasOperators(operators)) {
            return data(node);
        }
        return each(operators, this::operand);
    }

    private static boolean hasOperators(BsonDocument condition) {
        return condition.getFirstKey().startsWith("$");
    }

    private Optional<? extends BsonValue> operand(String operator, BsonValue node) {
        return switch (operator) {
            case "$in", "$nin", "$all" -> list(operator.equals("$in") && !isNegated, node);
            case "$not" -> new FilterBinding(variables, true).negated(node);
            case "$elemMatch" -> {
                boolean onFields = variables.of(node) == null
                        && node instanceof BsonDocument inner
                        && !inner.isEmpty()
                        && !hasOperators(inner);
                yield onFields ? filter(node) : condition(node);
            }
            case "$eq", "$ne", "$gt", "$gte", "$lt", "$lte" -> data(node);
            case "$regex", "$options" -> data(node).map(value -> isOwn(node) || value.isString() ? value : refused());
            default ->
                data(node).map(value -> isOwn(node) || !ExpressionBinding.isExpression(value) ? value : refused());
        };
    }

    private Optional<? extends BsonValue> negated(BsonValue node) {
        var bound = condition(node);
        return variables.of(node) instanceof Binding.Value
                ? bound.map(value -> value.isDocument() ? value : new BsonDocument("$eq", value))
                : bound;
    }

    /// Whether the author of the filter wrote it, so that it contains no variables.
    private boolean isOwn(BsonValue node) {
        return switch (variables.of(node)) {
            case null -> true;
            case Binding.AsIs _ -> true;
            default -> false;
        };
    }

    private static BsonValue refused() {
        throw unusable("an operator");
    }

    /// A regular expression among the elements would be a pattern, so it is left out. A variable that is a list is
    /// replaced by its elements.
    ///
    /// @param mayLack whether leaving out an element can only make fewer documents match
    private Optional<BsonArray> list(boolean mayLack, BsonValue node) {
        var elements = new ArrayList<BsonValue>();
        boolean lacks = false;
        switch (variables.of(node)) {
            case Binding.AsIs(BsonArray list) -> elements.addAll(list);
            case Binding.Value(BsonArray list) -> {
                for (var value : list) {
                    lacks |= !addTo(elements, new Binding.Value(value));
                }
            }
            case Binding.Absent() -> lacks = true;
            case Binding.Value value -> lacks = value.value().isNull() || !addTo(elements, value);
            case Binding.AsIs _, Binding.Filter _ -> throw unusable("a list");
            case null -> {
                if (!(node instanceof BsonArray list)) {
                    throw unusable("a list");
                }
                for (var element : list) {
                    var binding = variables.of(element);
                    if (binding == null) {
                        lacks |= data(element).map(elements::add).isEmpty();
                    } else {
                        lacks |= !addTo(elements, binding);
                    }
                }
            }
        }
        return lacks && !mayLack ? Optional.empty() : Optional.of(new BsonArray(elements));
    }

    private boolean addTo(ArrayList<BsonValue> elements, Binding binding) {
        return switch (binding) {
            case Binding.AsIs(var value) -> elements.add(value);
            case Binding.Absent() -> false;
            case Binding.Filter _ -> false;
            case Binding.Value(var value) ->
                !value.isRegularExpression()
                        && (!value.isNull() || variables.comparesNull())
                        && !(value instanceof BsonDocument document && !document.isEmpty() && hasOperators(document))
                        && elements.add(value);
        };
    }

    /// A value without operators; empty if any part of it is absent.
    private Optional<BsonValue> data(BsonValue node) {
        return occursAbsent(node)
                ? Optional.empty()
                : Optional.of(new ExpressionBinding(variables).bindData(node, true));
    }

    private boolean occursAbsent(BsonValue node) {
        var binding = variables.of(node);
        return binding == null
                ? BsonValues.within(node).anyMatch(this::occursAbsent)
                : binding instanceof Binding.Absent;
    }

    private static UnusableVariableException unusable(String wanted) {
        return new UnusableVariableException("a variable cannot stand for " + wanted + " here");
    }
}
