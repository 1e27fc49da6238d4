package org.restheart.bson.fields;

import org.bson.BsonValue;

/// Checks an aggregation expression for references to hidden fields: field paths, the whole document, and operators
/// that may read fields by other means. Unknown operators are refused ([ExpressionOperators]).
record ExpressionInspection(Visibility visibility) {
    boolean allows(BsonValue expression) {
        return switch (expression.getBsonType()) {
            case STRING -> allowsText(expression.asString().getValue());
            case ARRAY -> expression.asArray().stream().allMatch(this::allows);
            case DOCUMENT ->
                expression.asDocument().entrySet().stream()
                        .allMatch(entry -> allowsName(entry.getKey())
                                && (entry.getKey().equals("$literal") || allows(entry.getValue())));
            default -> true;
        };
    }

    private static boolean allowsName(String name) {
        return !name.startsWith("$") || ExpressionOperators.isPure(name);
    }

    private boolean allowsText(String text) {
        if (text.startsWith("$$")) {
            return allowsVariable(text.substring(2));
        }
        return !text.startsWith("$") || visibility.shows(text.substring(1));
    }

    /// Other variables hold the results of expressions that are inspected themselves.
    private boolean allowsVariable(String path) {
        int dot = path.indexOf('.');
        var name = dot < 0 ? path : path.substring(0, dot);
        boolean isDocument = name.equals("ROOT") || name.equals("CURRENT");
        return !isDocument || (dot >= 0 && visibility.shows(path.substring(dot + 1)));
    }
}
