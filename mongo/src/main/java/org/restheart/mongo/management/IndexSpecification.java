package org.restheart.mongo.management;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;

import java.util.Locale;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.KnownKeys;
import org.restheart.http.ProblemException;
import org.restheart.http.ShortText;

/// Converts a client's specification of an index, `{"keys": {…}, "ops": {…}}`, to that of the command
/// `createIndexes`.
final class IndexSpecification {
    private IndexSpecification() {}

    private static final KnownKeys OPTIONS = KnownKeys.of("""
        background unique sparse hidden expireAfterSeconds textIndexVersion 2dsphereIndexVersion bits min max
        partialFilterExpression wildcardProjection storageEngine weights default_language language_override
        collation
        """);

    private static final KnownKeys KEYS = KnownKeys.of("keys ops");

    private static final KnownKeys COLLATION = KnownKeys.of("""
        locale caseLevel backwards normalization numericOrdering strength caseFirst alternate maxVariable
        collationStrength collationCaseFirst collationAlternate collationMaxVariable
        """);

    /// @param warnings takes texts about options without effect
    /// @throws org.restheart.http.ProblemException 400
    static BsonDocument of(String name, BsonDocument content, Consumer<String> warnings) {
        if (!content.containsKey("keys")) {
            content.keySet().stream()
                    .filter(key -> KEYS.near(key).isPresent())
                    .findFirst()
                    .ifPresent(key -> {
                        throw new ProblemException(CONTENT_INVALID, unknown(key, KEYS));
                    });
        }
        var specification = new BsonDocument("key", document(content.get("keys"), "keys must be a json object"))
                .append("name", new BsonString(name));
        for (var key : content.keySet()) {
            if (!key.equals("keys") && !key.equals("ops") && !key.startsWith("_")) { // what begins so is the server's
                warnings.accept(
                        OPTIONS.known().contains(key)
                                ? "unknown index option " + key
                                        + "; options stand below ops: {\"keys\": …, \"ops\": {\"" + key + "\": …}}"
                                : unknown(key, KEYS));
            }
        }
        var options = content.get("ops");
        if (options != null) {
            document(options, "ops must be a json object").forEach((option, value) -> {
                if (OPTIONS.known().contains(option)) {
                    specification.append(option, honoured(option, value, warnings));
                } else if (!option.equals("name")) { // the path's counts
                    warnings.accept(unknown(option, OPTIONS));
                }
            });
        }
        return specification;
    }

    private static BsonDocument document(@Nullable BsonValue value, String otherwise) {
        if (value == null || !value.isDocument()) {
            throw new ProblemException(CONTENT_INVALID, otherwise);
        }
        return value.asDocument();
    }

    private static String unknown(String name, KnownKeys keys) {
        return "unknown index option " + ShortText.of(name, 100) + keys.question(name);
    }

    /// The value that MongoDB is sent.
    private static BsonValue honoured(String option, BsonValue value, Consumer<String> warnings) {
        return switch (option) {
            case "background", "unique", "sparse", "hidden" -> flag(option, value);
            case "expireAfterSeconds" -> whole(option, value, 0, Integer.MAX_VALUE);
            case "textIndexVersion", "2dsphereIndexVersion" -> whole(option, value, 1, Integer.MAX_VALUE);
            case "bits" -> whole(option, value, 1, 32);
            case "min", "max" -> {
                double bound = value.isNumber() ? value.asNumber().doubleValue() : Double.NaN;
                require(Double.isFinite(bound), option, "a finite number");
                yield new BsonDouble(bound);
            }
            case "partialFilterExpression", "wildcardProjection", "storageEngine", "weights" -> {
                require(value.isDocument(), option, "an object");
                yield value;
            }
            case "default_language", "language_override" -> text(option, value);
            case "collation" -> {
                require(value.isDocument(), option, "an object");
                yield collation(value.asDocument(), warnings);
            }
            default -> throw new IllegalArgumentException(option); // not one of OPTIONS
        };
    }

    private static BsonDocument collation(BsonDocument sent, Consumer<String> warnings) {
        var collation = new BsonDocument();
        sent.forEach((field, value) -> {
            if (!COLLATION.known().contains(field)) {
                warnings.accept(
                        "unknown index option collation." + ShortText.of(field, 100) + COLLATION.question(field));
                return;
            }
            // the older names begin with what is around them
            var bare = field.startsWith("collation") ? field.substring("collation".length()) : field;
            var name = bare.substring(0, 1).toLowerCase(Locale.ROOT) + bare.substring(1);
            collation.append(
                    name,
                    switch (name) {
                        case "caseLevel", "backwards", "normalization", "numericOrdering" ->
                            flag("collation." + field, value);
                        case "strength" -> whole("collation." + field, value, 1, 5);
                        default -> text("collation." + field, value);
                    });
        });
        return collation;
    }

    private static BsonValue flag(String option, BsonValue value) {
        require(value.isBoolean(), option, "true or false");
        return value;
    }

    private static BsonValue text(String option, BsonValue value) {
        require(value.isString(), option, "a text");
        return value;
    }

    private static BsonValue whole(String option, BsonValue value, int min, int max) {
        double number =
                value.isNumber() && !value.isDecimal128() ? value.asNumber().doubleValue() : Double.NaN;
        require(
                number == (int) number && number >= min && number <= max,
                option,
                "a whole number from " + min + " to " + max);
        return new BsonInt32((int) number);
    }

    private static void require(boolean fits, String option, String type) {
        if (!fits) {
            throw new ProblemException(CONTENT_INVALID, "index option " + option + " must be " + type);
        }
    }
}
