package org.restheart.bson.fields;

import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/// Checks whether an update reveals hidden fields, by copying them to visible ones or by failing depending on their
/// values. The only changes allowed to a hidden field are to set or to remove it as a whole.
///
/// @param matchesShown whether every field by which the document was found is shown; if not, the position that
/// `$` stands for is decided by hidden ones
record UpdateInspection(Visibility visibility, boolean matchesShown) {

    boolean allows(Update update) {
        return switch (update) {
            case Update.Operators(var operators) ->
                operators.entrySet().stream().allMatch(entry -> allowsOperator(entry.getKey(), entry.getValue()));
            case Update.Pipeline(var stages) -> stages.stream().allMatch(this::allowsStage);
        };
    }

    private boolean allowsOperator(String operator, BsonValue operand) {
        if (!(operand instanceof BsonDocument fields)) {
            return true; // handlers refuse it
        }
        return fields.entrySet().stream().allMatch(field -> switch (operator) {
            case "$set", "$setOnInsert", "$unset", "$currentDate" -> isReplaceable(field.getKey());
            case "$rename" ->
                isFree(field.getKey()) && field.getValue() instanceof BsonString target && isFree(target.getValue());
            default -> isFree(field.getKey());
        });
    }

    /// Whether everything that determines a change of the field is visible.
    private boolean isFree(String path) {
        return visibility.showsChanged(path)
                && visibility.showsWhereItIs(path)
                && (matchesShown || !FieldPath.isPositional(path));
    }

    /// MongoDB compares a new `_id` with the stored one.
    private boolean isReplaceable(String path) {
        return isFree(path) || (visibility.isWhole(path) && !FieldPath.isWithin(path, "_id"));
    }

    private boolean allowsStage(BsonDocument stage) {
        return stage.entrySet().stream().allMatch(entry -> {
            var operand = entry.getValue();
            return switch (entry.getKey()) {
                case "$unset" -> {
                    var names = operand instanceof BsonArray array ? array : new BsonArray(List.of(operand));
                    yield names.stream()
                            .allMatch(name -> !name.isString()
                                    || isReplaceable(name.asString().getValue()));
                }
                case "$set", "$addFields", "$project" ->
                    visibility.allowsExpression(operand)
                            && (!(operand instanceof BsonDocument fields)
                                    || fields.keySet().stream().allMatch(this::isReplaceable));
                default -> visibility.allowsExpression(operand);
            };
        });
    }
}
