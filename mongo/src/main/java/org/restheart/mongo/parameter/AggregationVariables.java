package org.restheart.mongo.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;

/// The `avars` parameter: values a client gives to an aggregation's or a stream's variables.
final class AggregationVariables {
    private AggregationVariables() {}

    /// @throws ProblemException 400, also for operators and for reserved names
    static BsonDocument parse(String text, ParameterSettings settings) {
        if (text.length() > JsonParameter.MAX_LENGTH) {
            throw Problem.of(
                            PARAMETER_INVALID,
                            "illegal avars parameter (longer than " + JsonParameter.MAX_LENGTH + " characters)")
                    .raise();
        }
        BsonValue value;
        try {
            value = JsonParser.parse(text);
        } catch (MalformedJsonException e) {
            throw notAnObject(e.isAfterTheEnd() ? text + ", " + e.getMessage() : text);
        }
        if (!value.isDocument()) {
            throw notAnObject(text);
        }
        var variables = value.asDocument();
        if (settings.refuseOperators() && hasOperator(variables)) {
            throw Problem.of(PARAMETER_INVALID, "illegal avars parameter: " + text)
                    .because("java.lang.SecurityException", "aggregation variables cannot include operators")
                    .raise();
        }
        if (variables.keySet().stream().anyMatch(name -> name.startsWith("@"))) {
            throw Problem.of(
                            PARAMETER_INVALID,
                            "illegal avars parameter: names that start with @ belong to the server: " + text)
                    .raise();
        }
        return variables;
    }

    private static ProblemException notAnObject(String text) {
        return Problem.of(PARAMETER_INVALID, "illegal avars parameter, it is not a json object: " + text)
                .raise();
    }

    /// Whether it has keys that begin with `$`, or values that are operators: Extended JSON parses such keys to
    /// regular expressions and code.
    private static boolean hasOperator(BsonValue value) {
        return switch (value.getBsonType()) {
            case DOCUMENT ->
                value.asDocument().entrySet().stream()
                        .anyMatch(entry -> entry.getKey().startsWith("$") || hasOperator(entry.getValue()));
            case ARRAY -> value.asArray().stream().anyMatch(AggregationVariables::hasOperator);
            case REGULAR_EXPRESSION, JAVASCRIPT, JAVASCRIPT_WITH_SCOPE -> true;
            default -> false;
        };
    }
}
