package org.restheart.security.users;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.fields.FieldPath;
import org.restheart.bson.fields.TouchedPaths;

/// Replaces passwords in the content of a write by their stored form, however they are set; refuses forms in which they
/// cannot be replaced. The content itself is not changed.
///
/// @param property of the password
record PasswordWrites(String property, PasswordRules rules) {
    /// @throws org.restheart.http.ProblemException 400
    BsonValue accept(BsonValue content, boolean isPipeline) {
        return switch (content) {
            case BsonDocument document -> ofDocument(document, "");
            case BsonArray array -> ofArray(array, isPipeline);
            default -> content; // the handler refuses it
        };
    }

    private BsonValue ofArray(BsonArray array, boolean isPipeline) {
        var accepted = new BsonArray(array.size());
        for (int i = 0; i < array.size(); i++) {
            accepted.add(
                    !(array.get(i) instanceof BsonDocument document)
                            ? array.get(i)
                            : isPipeline ? ofStage(document) : ofDocument(document, " in user document at index " + i));
        }
        return accepted;
    }

    private boolean concerns(String path) {
        return FieldPath.isWithin(path, property);
    }

    BsonDocument ofDocument(BsonDocument document, String place) {
        var accepted = new BsonDocument(document.size());
        document.forEach((key, value) -> accepted.append(
                key,
                key.startsWith("$")
                        ? ofOperator(key, value, place)
                        : concerns(key) ? stored(key, value, place) : value));
        return accepted;
    }

    private BsonValue stored(String key, BsonValue value, String place) {
        if (!key.equals(property) || !value.isString()) {
            throw PasswordRules.refuse("A password must be a text" + place);
        }
        return new BsonString(rules.accept(value.asString().getValue(), place));
    }

    private BsonValue ofOperator(String operator, BsonValue operand, String place) {
        if (!(operand instanceof BsonDocument fields)) {
            return operand; // the handler refuses it
        }
        var accepted = new BsonDocument(fields.size());
        fields.forEach((path, value) -> {
            boolean renames = operator.equals("$rename")
                    && value.isString()
                    && concerns(value.asString().getValue());
            if (!concerns(path) && !renames) {
                accepted.append(path, value);
                return;
            }
            switch (operator) {
                case "$set", "$setOnInsert" -> accepted.append(path, stored(path, value, place));
                case "$unset" -> accepted.append(path, value);
                default -> throw PasswordRules.refuse("A password cannot be changed by " + operator + place);
            }
        });
        return accepted;
    }

    private BsonDocument ofStage(BsonDocument stage) {
        if (stage.size() == 1
                && (stage.containsKey("$set") || stage.containsKey("$addFields"))
                && stage.get(stage.getFirstKey()) instanceof BsonDocument fields) {
            var accepted = new BsonDocument(fields.size());
            fields.forEach((path, value) -> accepted.append(path, concerns(path) ? literal(path, value) : value));
            return new BsonDocument(stage.getFirstKey(), accepted);
        }
        if (!stage.containsKey("$unset") && TouchedPaths.ofStage(stage).has(property)) {
            throw PasswordRules.refuse("A password cannot be changed by " + stage.getFirstKey());
        }
        return stage;
    }

    /// In a pipeline a string that begins with `$` is a field path, and hashes begin with `$`.
    private BsonValue literal(String path, BsonValue value) {
        if (value instanceof BsonDocument document && document.size() == 1 && document.containsKey("$literal")) {
            return new BsonDocument("$literal", stored(path, document.get("$literal"), ""));
        }
        if (value.isString() && value.asString().getValue().startsWith("$")) {
            throw PasswordRules.refuse("A password cannot be computed");
        }
        return new BsonDocument("$literal", stored(path, value, ""));
    }
}
