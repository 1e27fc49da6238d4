package org.restheart.mongo.guard;

import static org.restheart.mongo.guard.HiddenFields.refusal;

import java.util.Set;
import org.bson.BsonValue;

/// Looks for hidden fields in an aggregation expression: field paths, the whole document, and operators that
/// name fields by computed text or run code.
record ExpressionInspection(Visibility visibility) {
    private static final Set<String> OPAQUE =
            Set.of("$getField", "$setField", "$unsetField", "$function", "$accumulator", "$where", "$meta");

    /// @throws org.restheart.http.ProblemException 403
    void check(BsonValue expression) {
        switch (expression.getBsonType()) {
            case STRING -> checkText(expression.asString().getValue());
            case ARRAY -> expression.asArray().forEach(this::check);
            case DOCUMENT ->
                expression.asDocument().forEach((name, operand) -> {
                    if (OPAQUE.contains(name)) {
                        throw refusal();
                    }
                    if (!name.equals("$literal")) { // which is not evaluated
                        check(operand);
                    }
                });
            default -> {}
        }
    }

    private void checkText(String text) {
        if (text.startsWith("$$")) {
            checkVariable(text.substring(2));
        } else if (text.startsWith("$") && !visibility.shows(text.substring(1))) {
            throw refusal();
        }
    }

    /// Other variables hold what their own expressions may see.
    private void checkVariable(String path) {
        int dot = path.indexOf('.');
        var name = dot < 0 ? path : path.substring(0, dot);
        if ((name.equals("ROOT") || name.equals("CURRENT"))
                && (dot < 0 || !visibility.shows(path.substring(dot + 1)))) {
            throw refusal();
        }
    }
}
