package org.restheart.mongo.find;

import org.bson.BsonDocument;
import org.bson.BsonValue;

/// Recognizes filters that can be evaluated on any document: comparisons with given values, which never fail and
/// take at most linear time. Unknown operators are not harmless: a new operator of MongoDB has to be added here.
public final class HarmlessFilter {
    private HarmlessFilter() {}

    public static boolean is(BsonDocument filter) {
        return filter.entrySet().stream().allMatch(clause -> isClause(clause.getKey(), clause.getValue()));
    }

    private static boolean isClause(String name, BsonValue value) {
        return switch (name) {
            case "$and", "$or", "$nor" ->
                value.isArray()
                        && value.asArray().stream().allMatch(each -> each.isDocument() && is(each.asDocument()));
            case "$comment" -> true;
            default -> !name.startsWith("$") && isCondition(value);
        };
    }

    private static boolean isCondition(BsonValue value) {
        return isOperators(value) || isLiteral(value);
    }

    /// Whether MongoDB takes the value for operators, by its first name.
    private static boolean hasOperators(BsonValue value) {
        return value.isDocument()
                && !value.asDocument().isEmpty()
                && value.asDocument().getFirstKey().startsWith("$");
    }

    private static boolean isOperators(BsonValue value) {
        return hasOperators(value)
                && value.asDocument().entrySet().stream()
                        .allMatch(operator -> isOperator(operator.getKey(), operator.getValue()));
    }

    private static boolean isOperator(String name, BsonValue operand) {
        return switch (name) {
            case "$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$exists", "$type", "$size" -> isValue(operand);
            case "$in", "$nin" ->
                operand.isArray() && operand.asArray().stream().allMatch(HarmlessFilter::isLiteral);
            case "$all" -> operand.isArray() && operand.asArray().stream().allMatch(HarmlessFilter::isCondition);
            case "$elemMatch" -> operand.isDocument() && (is(operand.asDocument()) || isOperators(operand));
            case "$not" -> isOperators(operand);
            default -> false;
        };
    }

    /// A value that is compared literally, also where operators are possible.
    private static boolean isLiteral(BsonValue value) {
        return !hasOperators(value) && isValue(value);
    }

    /// Regular expressions are evaluated in most places; code is never needed.
    private static boolean isValue(BsonValue value) {
        return switch (value.getBsonType()) {
            case DOCUMENT -> value.asDocument().values().stream().allMatch(HarmlessFilter::isValue);
            case ARRAY -> value.asArray().stream().allMatch(HarmlessFilter::isValue);
            case REGULAR_EXPRESSION, JAVASCRIPT, JAVASCRIPT_WITH_SCOPE, UNDEFINED -> false;
            default -> true;
        };
    }
}
