package org.restheart.graphql.app;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// A part of a mapping with variables in it: `{"$arg": "name"}`, `{"$arg": ["name", default]}`, `{"$fk": "path"}`.
/// Values of variables are inserted as literals: they are never operators and, in expressions, never field names.
/// Immutable.
@FunctionalInterface
interface Template {
    String ARG = "$arg";
    String FK = "$fk";
    int MAX_DEPTH = 100;

    /// @throws ProblemException 400 for a variable that is not bound or whose value is not allowed
    BsonValue fill(MappingVariables variables);

    /// Where a value is inserted.
    enum Position {
        /// In the query language, or as the operand of a stage: a value with `$` keys would be an operator.
        QUERY,
        /// In an aggregation expression: strings that begin with `$` would also be field names.
        EXPRESSION
    }

    /// @param allowOperators insert arguments unchanged
    /// @throws InvalidApp naming what is wrong
    static Template of(BsonValue value, Position position, boolean allowOperators) throws InvalidApp {
        return of(value, position, allowOperators, 0);
    }

    private static Template of(BsonValue value, Position position, boolean allowOperators, int depth)
            throws InvalidApp {
        if (depth > MAX_DEPTH) {
            throw new InvalidApp("it is nested too deeply");
        }
        if (value.isDocument()) {
            var document = value.asDocument();
            if (document.containsKey(FK)) {
                return foreignKey(document.get(FK), position);
            }
            if (document.containsKey(ARG)) {
                return argument(document, document.get(ARG), position, allowOperators, depth);
            }
            var members = new LinkedHashMap<String, Template>();
            for (var member : document.entrySet()) {
                members.put(
                        member.getKey(),
                        of(member.getValue(), within(member.getKey(), position), allowOperators, depth + 1));
            }
            return members.values().stream().allMatch(Constant.class::isInstance)
                    ? new Constant(document)
                    : variables -> fill(members, variables);
        }
        if (value.isArray()) {
            var elements = new ArrayList<Template>();
            for (var element : value.asArray()) {
                elements.add(of(element, position, allowOperators, depth + 1));
            }
            return elements.stream().allMatch(Constant.class::isInstance)
                    ? new Constant(value)
                    : variables -> fill(elements, variables);
        }
        return new Constant(value);
    }

    private static Position within(String name, Position position) {
        return switch (name) {
            case "$expr" -> Position.EXPRESSION;
            case "$literal" -> Position.QUERY;
            default -> position;
        };
    }

    /// Without variables.
    record Constant(BsonValue value) implements Template {
        @Override
        public BsonValue fill(MappingVariables variables) {
            return value;
        }
    }

    private static BsonValue fill(Map<String, Template> members, MappingVariables variables) {
        var filled = new BsonDocument();
        members.forEach((name, member) -> filled.append(name, member.fill(variables)));
        return filled;
    }

    private static BsonValue fill(List<Template> elements, MappingVariables variables) {
        var filled = new BsonArray();
        elements.forEach(element -> filled.add(element.fill(variables)));
        return filled;
    }

    private static Template foreignKey(BsonValue operand, Position position) throws InvalidApp {
        if (!operand.isString()) {
            throw new InvalidApp("the operand of $fk must be a string");
        }
        var path = ValuePath.parse(operand.asString().getValue());
        return variables ->
                bind(path.find(variables.parent()).orElse(org.bson.BsonNull.VALUE), position, "the foreign key");
    }

    private static Template argument(
            BsonDocument document, BsonValue operand, Position position, boolean allowOperators, int depth)
            throws InvalidApp {
        if (document.size() != 1) {
            throw new InvalidApp("$arg must stand alone in its document");
        }
        var operands = operand.isArray() ? operand.asArray() : new BsonArray(List.of(operand));
        if (operands.isEmpty() || operands.size() > 2 || !operands.getFirst().isString()) {
            throw new InvalidApp("the operand of $arg must be a name, or a name and a default");
        }
        var name = operands.getFirst().asString().getValue();
        var otherwise = operands.size() < 2 ? null : of(operands.get(1), position, allowOperators, depth + 1);
        return variables -> {
            var bound = variables.find(name);
            if (bound.isEmpty()) {
                if (otherwise == null) {
                    throw refusal("variable " + name + " not bound");
                }
                return otherwise.fill(variables);
            }
            if (!variables.isArgument(name)) {
                return bind(bound.get(), position, name);
            }
            if (allowOperators) {
                return bound.get();
            }
            if (hasOperator(bound.get())) {
                throw refusal("the argument " + name + " must not contain keys that begin with $");
            }
            return position == Position.EXPRESSION ? literal(bound.get()) : bound.get();
        };
    }

    /// Binds a value that is not the client's: stored strings may also begin with `$`.
    private static BsonValue bind(BsonValue value, Position position, String name) {
        if (position == Position.EXPRESSION) {
            return literal(value);
        }
        if (hasOperator(value)) {
            throw refusal(name + " must not contain keys that begin with $");
        }
        return value;
    }

    private static BsonValue literal(BsonValue value) {
        return isEvaluated(value) ? new BsonDocument("$literal", value) : value;
    }

    private static boolean isEvaluated(BsonValue value) {
        return value.isDocument()
                || value.isArray()
                || (value.isString() && value.asString().getValue().startsWith("$"));
    }

    private static boolean hasOperator(BsonValue value) {
        if (value.isDocument()) {
            return value.asDocument().entrySet().stream()
                    .anyMatch(member -> member.getKey().startsWith("$") || hasOperator(member.getValue()));
        }
        return value.isArray() && value.asArray().stream().anyMatch(Template::hasOperator);
    }

    static ProblemException refusal(String message) {
        return Problem.of(ProblemCode.QUERY_INVALID, message).raise();
    }
}
