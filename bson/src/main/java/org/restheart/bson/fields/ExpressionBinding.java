package org.restheart.bson.fields;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;
import org.restheart.bson.fields.Variables.Binding;

/// Puts values into aggregation expressions and other parts of stages. A value that an expression would evaluate is
/// wrapped in `$literal`. Immutable.
public record ExpressionBinding(Variables variables) {

    /// An expression, or a document of expressions.
    public BsonValue bind(BsonValue node) {
        var binding = variables.of(node);
        if (binding != null) {
            return switch (binding) {
                case Binding.AsIs(var value) -> value;
                case Binding.Value(var value) -> literal(value);
                case Binding.Filter(var filter) -> literal(filter);
                case Binding.Absent() -> BsonNull.VALUE;
            };
        }
        return node instanceof BsonDocument document
                ? BsonValues.copy(document, this::operand)
                : BsonValues.copy(node, this::bind);
    }

    private BsonValue operand(String operator, BsonValue node) {
        return operator.equals("$literal") ? bindData(node, true) : bind(node);
    }

    /// Fields and their expressions, as of `$project` and `$set`, where a document would be not a value but further
    /// fields.
    public BsonValue bindFields(BsonValue node) {
        if (variables.of(node) != null || !(node instanceof BsonDocument fields)) {
            return bind(node);
        }
        return BsonValues.copy(fields, (name, value) -> name.startsWith("$") ? operand(name, value) : field(value));
    }

    private BsonValue field(BsonValue node) {
        return switch (variables.of(node)) {
            case Binding.Value(BsonDocument value) -> new BsonDocument("$literal", value);
            case Binding.Filter(var filter) -> new BsonDocument("$literal", filter);
            case null, default -> bindFields(node);
        };
    }

    /// Parts of stages that are not expressions: numbers, names, sorts.
    ///
    /// @param inert whether no value is evaluated here, whatever its name
    /// @throws UnusableVariableException for a value that would be evaluated
    public BsonValue bindData(BsonValue node, boolean inert) {
        var binding = variables.of(node);
        if (binding != null) {
            return switch (binding) {
                case Binding.AsIs(var value) -> value;
                case Binding.Value(var value) -> inert ? value : plain(value);
                case Binding.Filter(var filter) -> inert ? filter : plain(filter);
                case Binding.Absent() -> BsonNull.VALUE;
            };
        }
        return BsonValues.copy(node, each -> bindData(each, inert));
    }

    private static BsonValue plain(BsonValue value) {
        if (isExpression(value)) {
            throw new UnusableVariableException("a variable would act as an operator or name a field");
        }
        return value;
    }

    private static BsonValue literal(BsonValue value) {
        return isExpression(value) ? new BsonDocument("$literal", value) : value;
    }

    /// Whether an expression evaluates to anything but the value itself.
    public static boolean isExpression(BsonValue value) {
        return switch (value) {
            case BsonString text -> text.getValue().startsWith("$");
            case BsonArray array -> array.stream().anyMatch(ExpressionBinding::isExpression);
            case BsonDocument document ->
                document.entrySet().stream()
                        .anyMatch(entry -> entry.getKey().startsWith("$") || isExpression(entry.getValue()));
            default -> false;
        };
    }
}
