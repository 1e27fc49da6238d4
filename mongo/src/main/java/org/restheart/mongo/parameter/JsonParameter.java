package org.restheart.mongo.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import java.util.List;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;

/// Reads parameters whose value is JSON.
final class JsonParameter {
    /// In characters. The limit of the request's head is meant for all parameters together.
    static final int MAX_LENGTH = 256 << 10;

    private static final Pattern FIELD = Pattern.compile("[\\w.]{1,100}");

    private JsonParameter() {}

    /// The parameter `arrayFilters`: a list of filters.
    ///
    /// @throws ProblemException 400
    static List<BsonDocument> documents(String text) {
        try {
            if (text.length() <= MAX_LENGTH
                    && JsonParser.parse(text) instanceof BsonArray filters
                    && filters.stream()
                            .allMatch(filter ->
                                    filter.isDocument() && !filter.asDocument().isEmpty())) {
                return filters.stream().map(BsonValue::asDocument).toList();
            }
        } catch (MalformedJsonException _) {
            // refused below
        }
        throw new ProblemException(
                PARAMETER_INVALID,
                "illegal arrayFilters parameter: it is a list of filters of at most " + MAX_LENGTH
                        + " characters, such as [{\"e.n\": {\"$gt\": 1}}]");
    }

    /// @throws ProblemException 400
    static BsonDocument document(String name, String text) {
        if (text.isBlank()) {
            throw new ProblemException(PARAMETER_INVALID, "illegal " + name + " parameter (empty)");
        }
        if (text.length() > MAX_LENGTH) {
            throw new ProblemException(
                    PARAMETER_INVALID, "illegal " + name + " parameter (longer than " + MAX_LENGTH + " characters)");
        }
        BsonValue value;
        try {
            value = JsonParser.parse(text);
        } catch (MalformedJsonException e) {
            var detail = name.equals("filter") || e.isAfterTheEnd() ? ", " + e.getMessage() : "";
            throw Problem.of(PARAMETER_INVALID, "illegal " + name + " parameter: " + text + detail)
                    .because("org.bson.json.JsonParseException", "invalid json")
                    .withHints(help(name, text))
                    .raise();
        }
        if (!value.isDocument()) {
            throw Problem.of(
                            PARAMETER_INVALID,
                            "illegal " + name + " parameter, it is not a json object: " + text + " => "
                                    + typeName(value))
                    .withHints(help(name, text))
                    .raise();
        }
        return value.asDocument();
    }

    /// What the client may have meant or sent.
    private static List<String> help(String name, String text) {
        if (text.contains(":") && !text.contains("{")) {
            return List.of("the braces are missing; curl keeps them with the option -g");
        }
        return name.equals("keys") && FIELD.matcher(text).matches()
                ? List.of("fields are named as keys={\"" + text + "\":1}")
                : List.of();
    }

    private static String typeName(BsonValue value) {
        return switch (value.getBsonType()) {
            case STRING, INT32, INT64, DOUBLE, BOOLEAN -> "String";
            case ARRAY -> "BsonArray";
            default -> value.getBsonType().name();
        };
    }
}
