package org.restheart.bson.fields;

import org.bson.BsonDocument;
import org.bson.BsonValue;

/// Checks a filter for references to hidden fields. Unknown operators are refused: a new operator of MongoDB has to be
/// added here before it is allowed.
record FilterInspection(Visibility visibility) {

    boolean allows(BsonDocument filter, String prefix) {
        return filter.entrySet().stream().allMatch(entry -> {
            var value = entry.getValue();
            return switch (entry.getKey()) {
                case "$and", "$or", "$nor" ->
                    !value.isArray() // MongoDB refuses it
                            || value.asArray().stream()
                                    .allMatch(each -> !each.isDocument() || allows(each.asDocument(), prefix));
                case "$expr" -> visibility.allowsExpression(value);
                case "$comment" -> true;
                default -> !entry.getKey().startsWith("$") && allowsCondition(prefix + entry.getKey(), value);
            };
        });
    }

    private boolean allowsCondition(String path, BsonValue condition) {
        return visibility.shows(path)
                || (visibility.showsPart(path)
                        && condition.isDocument()
                        && !condition.asDocument().isEmpty() // which is a value to be equal to
                        && condition.asDocument().entrySet().stream()
                                .allMatch(entry -> allowsOperator(path, entry.getKey(), entry.getValue())));
    }

    /// A condition on a field of which only a part is shown: it must not depend on the rest.
    private boolean allowsOperator(String path, String operator, BsonValue operand) {
        return switch (operator) {
            // Where only named paths are shown, values without fields are not.
            case "$exists", "$type", "$size" -> !visibility.only();
            case "$not" -> allowsCondition(path, operand);
            case "$elemMatch" -> operand.isDocument() && allows(operand.asDocument(), path + ".");
            case "$all" ->
                operand.isArray() && operand.asArray().stream().allMatch(each -> allowsCondition(path, each));
            default -> false;
        };
    }
}
