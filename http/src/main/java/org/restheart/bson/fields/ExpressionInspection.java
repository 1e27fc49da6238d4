package org.restheart.bson.fields;

import java.util.Set;
import org.bson.BsonValue;

/// Checks an aggregation expression for references to hidden fields: field paths, the whole document, and operators
/// that compute field names or run code.
record ExpressionInspection(Visibility visibility) {
    private static final Set<String> OPAQUE =
            Set.of("$getField", "$setField", "$unsetField", "$function", "$accumulator", "$where", "$meta");

    boolean allows(BsonValue expression) {
        return switch (expression.getBsonType()) {
            case STRING -> allowsText(expression.asString().getValue());
            case ARRAY -> expression.asArray().stream().allMatch(this::allows);
            case DOCUMENT ->
                expression.asDocument().entrySet().stream()
                        .allMatch(entry -> !OPAQUE.contains(entry.getKey())
                                && (entry.getKey().equals("$literal") || allows(entry.getValue())));
            default -> true;
        };
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
