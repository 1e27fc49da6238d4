package org.restheart.mongo.find;

import java.util.regex.Pattern;
import org.bson.BsonDocument;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonSymbol;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;

/// Recognizes filters that can be evaluated on any document: comparisons with given values, which never fail and
/// take at most linear time. Unknown operators are not harmless: a new operator of MongoDB has to be added here.
public final class HarmlessFilter {
    /// Regular expressions that look at the beginning of a text only, at each character once: an anchor, then
    /// characters and classes of characters without quantifiers, groups or alternatives. The time that MongoDB
    /// needs for them does not depend on the document, and they reach no limit of steps.
    private static final Pattern PREFIX = Pattern.compile(
            "\\^(?:[^\\\\^$.|?*+()\\[\\]{}]|\\\\[^\\w\\s]|\\\\[dDwWsS]|\\.|\\[\\^?[\\w ,;:@/-]+])*+\\$?");

    /// Neither `m`, by which an anchor stands for the beginning of any line, nor `x`, by which a pattern has comments.
    private static final Pattern OPTIONS = Pattern.compile("[is]*");

    private static final BsonString EMPTY = new BsonString("");

    private HarmlessFilter() {}

    public static boolean is(BsonDocument filter) {
        return filter.entrySet().stream().allMatch(clause -> isClause(clause.getKey(), clause.getValue()));
    }

    /// Whether what the filter matches depends on how texts are compared, as far as this can be told.
    public static boolean comparesTexts(BsonDocument filter) {
        return !is(filter) || hasText(filter);
    }

    private static boolean hasText(BsonValue value) {
        return switch (value) {
            case BsonString _, BsonSymbol _, BsonRegularExpression _ -> true;
            default -> BsonValues.within(value).anyMatch(HarmlessFilter::hasText);
        };
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
        return isOperators(value) || isLiteral(value) || isPrefix(value);
    }

    private static boolean isPrefix(BsonValue value) {
        return value.isRegularExpression()
                && isPrefix(
                        value.asRegularExpression().getPattern(),
                        value.asRegularExpression().getOptions());
    }

    private static boolean isPrefix(String pattern, String options) {
        return PREFIX.matcher(pattern).matches() && OPTIONS.matcher(options).matches();
    }

    private static boolean isPrefix(BsonDocument operators) {
        var pattern = operators.get("$regex");
        var options = operators.get("$options", EMPTY);
        if (pattern == null || !pattern.isString()) {
            return pattern != null && isPrefix(pattern) && !operators.containsKey("$options");
        }
        return options.isString()
                && isPrefix(pattern.asString().getValue(), options.asString().getValue());
    }

    /// Whether MongoDB takes the value for operators, by its first name.
    private static boolean hasOperators(BsonValue value) {
        return value.isDocument()
                && !value.asDocument().isEmpty()
                && value.asDocument().getFirstKey().startsWith("$");
    }

    private static boolean isOperators(BsonValue value) {
        return hasOperators(value)
                && value.asDocument().entrySet().stream().allMatch(operator -> switch (operator.getKey()) {
                    case "$regex", "$options" -> isPrefix(value.asDocument());
                    default -> isOperator(operator.getKey(), operator.getValue());
                });
    }

    private static boolean isOperator(String name, BsonValue operand) {
        return switch (name) {
            case "$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$exists", "$type", "$size" -> isValue(operand);
            case "$in", "$nin" ->
                operand.isArray() && operand.asArray().stream().allMatch(HarmlessFilter::isLiteral);
            case "$all" -> operand.isArray() && operand.asArray().stream().allMatch(HarmlessFilter::isCondition);
            case "$elemMatch" -> operand.isDocument() && (is(operand.asDocument()) || isOperators(operand));
            case "$not" -> isOperators(operand) || isPrefix(operand);
            default -> false;
        };
    }

    /// A value that is compared literally, also where operators are possible.
    private static boolean isLiteral(BsonValue value) {
        return !hasOperators(value) && isValue(value);
    }

    /// Regular expressions in lists and within values are rare, and code is never needed.
    private static boolean isValue(BsonValue value) {
        return switch (value.getBsonType()) {
            case DOCUMENT -> value.asDocument().values().stream().allMatch(HarmlessFilter::isValue);
            case ARRAY -> value.asArray().stream().allMatch(HarmlessFilter::isValue);
            case REGULAR_EXPRESSION, JAVASCRIPT, JAVASCRIPT_WITH_SCOPE, UNDEFINED -> false;
            default -> true;
        };
    }
}
