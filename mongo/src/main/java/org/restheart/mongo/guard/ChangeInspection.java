package org.restheart.mongo.guard;

import static org.restheart.mongo.guard.HiddenFields.refusal;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// Looks for hidden fields in what a change computes from: their values must not end up in fields that are
/// shown.
record ChangeInspection(Visibility visibility) {

    /// Stages of an update pipeline hold expressions, except for the one that only names fields.
    ///
    /// @throws org.restheart.http.ProblemException 403
    void checkPipeline(BsonArray stages) {
        var expressions = new ExpressionInspection(visibility);
        for (var stage : stages) {
            if (stage.isDocument()) {
                stage.asDocument().forEach((name, operand) -> {
                    if (!name.equals("$unset")) {
                        expressions.check(operand);
                    }
                });
            }
        }
    }

    /// @throws org.restheart.http.ProblemException 403
    void checkOperators(BsonDocument change) {
        change.forEach((operator, operand) -> {
            if (operand.isDocument()) {
                checkOperator(operator, operand.asDocument());
            }
        });
    }

    private void checkOperator(String operator, BsonDocument fields) {
        switch (operator) {
            case "$rename" -> fields.forEach((path, _) -> refuseUnless(visibility.shows(path)));
            // Which elements go or stay shows in arrays of which a part is shown.
            case "$pull", "$pullAll", "$addToSet" ->
                fields.forEach((path, _) -> refuseUnless(visibility.shows(path) || !visibility.showsPart(path)));
            case "$push" -> fields.forEach((path, value) -> refuseUnless(!isSorted(value) || visibility.shows(path)));
            default -> {}
        }
    }

    private static boolean isSorted(BsonValue value) {
        return value.isDocument() && value.asDocument().containsKey("$sort");
    }

    private static void refuseUnless(boolean shown) {
        if (!shown) {
            throw refusal();
        }
    }
}
