package org.restheart.mongo.management;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;

import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Problem;

/// Converts a client's specification of an index, `{"keys": {…}, "ops": {…}}`, to that of the command
/// `createIndexes`.
final class IndexSpecification {
    private IndexSpecification() {}

    /// @throws org.restheart.http.ProblemException 400
    static BsonDocument of(String name, BsonDocument content) {
        var specification = new BsonDocument("key", document(content.get("keys"), "keys must be a json object"))
                .append("name", new BsonString(name));
        var options = content.get("ops");
        if (options != null) {
            document(options, "ops must be a json object").forEach((option, value) -> {
                var honoured = honoured(option, value);
                if (honoured != null) {
                    specification.append(option, honoured);
                }
            });
        }
        return specification;
    }

    private static BsonDocument document(@Nullable BsonValue value, String otherwise) {
        if (value == null || !value.isDocument()) {
            throw Problem.of(CONTENT_INVALID, otherwise).raise();
        }
        return value.asDocument();
    }

    /// The value that is sent to MongoDB; null for unknown options and wrong types, which are ignored.
    private static @Nullable BsonValue honoured(String option, BsonValue value) {
        return switch (option) {
            case "background", "unique", "sparse" -> value.isBoolean() ? value : null;
            case "expireAfterSeconds", "textIndexVersion", "2dsphereIndexVersion", "bits" -> whole(value);
            case "min", "max" ->
                value.isNumber() ? new BsonDouble(value.asNumber().doubleValue()) : null;
            case "partialFilterExpression", "storageEngine", "weights" -> value.isDocument() ? value : null;
            case "default_language", "language_override" -> value.isString() ? value : null;
            case "collation" -> value.isDocument() ? collation(value.asDocument()) : null;
            default -> null;
        };
    }

    private static @Nullable BsonValue whole(BsonValue value) {
        return switch (value.getBsonType()) {
            case INT32 -> value;
            case INT64, DOUBLE -> {
                double number = value.asNumber().doubleValue();
                yield number == (int) number ? new BsonInt32((int) number) : null;
            }
            default -> null;
        };
    }

    /// MongoDB's names for the fields of a collation, and older ones that clients still send.
    private static BsonDocument collation(BsonDocument sent) {
        var collation = new BsonDocument();
        sent.forEach((field, value) -> {
            switch (field) {
                case "locale" -> put(collation, "locale", value.isString() ? value : null);
                case "caseLevel", "backwards", "normalization", "numericOrdering" ->
                    put(collation, field, value.isBoolean() ? value : null);
                case "strength", "collationStrength" -> put(collation, "strength", whole(value));
                case "caseFirst", "collationCaseFirst" -> put(collation, "caseFirst", text(value));
                case "alternate", "collationAlternate" -> put(collation, "alternate", text(value));
                case "maxVariable", "collationMaxVariable" -> put(collation, "maxVariable", text(value));
                default -> {}
            }
        });
        return collation;
    }

    private static @Nullable BsonValue text(BsonValue value) {
        return value.isString() ? value : null;
    }

    private static void put(BsonDocument collation, String field, @Nullable BsonValue value) {
        if (value != null) {
            collation.append(field, value);
        }
    }
}
