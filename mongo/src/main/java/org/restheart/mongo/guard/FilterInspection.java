package org.restheart.mongo.guard;

import static org.restheart.mongo.guard.HiddenFields.refusal;

import org.bson.BsonDocument;
import org.bson.BsonValue;

/// Looks for hidden fields in a filter. What it does not know, it refuses: a new operator of MongoDB must be
/// understood here before it passes.
record FilterInspection(Visibility visibility) {

    /// @throws org.restheart.http.ProblemException 403
    void check(BsonDocument filter) {
        check(filter, "");
    }

    private void check(BsonDocument filter, String prefix) {
        filter.forEach((name, value) -> {
            switch (name) {
                case "$and", "$or", "$nor" -> {
                    if (value.isArray()) { // anything else is MongoDB's to refuse
                        value.asArray().forEach(each -> checkBranch(each, prefix));
                    }
                }
                case "$expr" -> new ExpressionInspection(visibility).check(value);
                case "$comment" -> {}
                default -> {
                    if (name.startsWith("$")) {
                        throw refusal();
                    }
                    checkCondition(prefix + name, value);
                }
            }
        });
    }

    private void checkBranch(BsonValue branch, String prefix) {
        if (branch.isDocument()) {
            check(branch.asDocument(), prefix);
        }
    }

    private void checkCondition(String path, BsonValue condition) {
        if (visibility.shows(path)) {
            return;
        }
        if (!visibility.showsPart(path) || !condition.isDocument()) {
            throw refusal();
        }
        condition.asDocument().forEach((operator, operand) -> checkOperator(path, operator, operand));
    }

    /// A condition on a field of which only a part is shown: it must not depend on the rest.
    private void checkOperator(String path, String operator, BsonValue operand) {
        switch (operator) {
            case "$exists", "$type", "$size" -> {}
            case "$not" -> checkCondition(path, operand);
            case "$elemMatch" -> {
                if (!operand.isDocument()) {
                    throw refusal();
                }
                check(operand.asDocument(), path + ".");
            }
            case "$all" -> {
                if (!operand.isArray()) {
                    throw refusal();
                }
                operand.asArray().forEach(each -> checkCondition(path, each));
            }
            default -> throw refusal();
        }
    }
}
