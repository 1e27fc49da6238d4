package org.restheart.security.users;

import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.fields.ExpressionBinding;
import org.restheart.bson.fields.FieldPath;

/// Checks whether a write could give an account the root role, in any form: whole documents, dotted keys, update
/// operators, pipelines. In doubt the answer is yes.
///
/// @param property of the roles, or the first of their path
record RoleWrites(String rootRole, String property) {
    private static final Set<String> TAKING_AWAY = Set.of("$unset", "$pull", "$pullAll", "$pop");

    /// @param content a document, or an array of documents
    /// @param isPipeline whether an array is an update pipeline
    boolean couldMakeRoot(BsonValue content, boolean isPipeline) {
        return switch (content) {
            case BsonDocument document -> ofDocument(document);
            case BsonArray array ->
                array.stream()
                        .anyMatch(element -> !(element instanceof BsonDocument document)
                                || (isPipeline ? ofStage(document) : ofDocument(document)));
            default -> true;
        };
    }

    private boolean ofDocument(BsonDocument document) {
        return document.entrySet().stream().anyMatch(entry -> {
            var key = entry.getKey();
            return key.startsWith("$")
                    ? ofOperator(key, entry.getValue())
                    : concerns(key) && mentionsRoot(entry.getValue());
        });
    }

    private boolean concerns(String path) {
        return FieldPath.isWithin(path, property);
    }

    private boolean ofOperator(String operator, BsonValue operand) {
        if (!(operand instanceof BsonDocument fields)) {
            return true;
        }
        return fields.entrySet().stream().anyMatch(field -> switch (operator) {
            case "$rename" ->
                concerns(field.getKey())
                        || !(field.getValue() instanceof BsonString target)
                        || concerns(target.getValue());
            default -> concerns(field.getKey()) && !TAKING_AWAY.contains(operator) && mentionsRoot(field.getValue());
        });
    }

    private boolean mentionsRoot(BsonValue value) {
        return switch (value) {
            case BsonString text -> text.getValue().equals(rootRole);
            case BsonArray array -> array.stream().anyMatch(this::mentionsRoot);
            case BsonDocument document -> document.values().stream().anyMatch(this::mentionsRoot);
            default -> false;
        };
    }

    private boolean ofStage(BsonDocument stage) {
        if (stage.size() != 1) {
            return true;
        }
        var operand = stage.get(stage.getFirstKey());
        return switch (stage.getFirstKey()) {
            case "$set", "$addFields" ->
                !(operand instanceof BsonDocument fields)
                        || fields.entrySet().stream()
                                .anyMatch(field -> concerns(field.getKey())
                                        && (mentionsRoot(field.getValue())
                                                || ExpressionBinding.isExpression(field.getValue())));
            case "$unset" -> false;
            case "$project" ->
                !(operand instanceof BsonDocument fields)
                        || fields.entrySet().stream()
                                .anyMatch(field -> concerns(field.getKey())
                                        && !field.getValue().isNumber()
                                        && !field.getValue().isBoolean());
            default -> true; // it replaces the document by something computed
        };
    }
}
