package org.restheart.mongo.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import java.util.Locale;
import java.util.Optional;
import org.restheart.bson.JsonMode;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.judged.JudgedRequest;

/// The format of a response.
///
/// @param halFull whether HAL contains all links, also those that the client can derive
/// @param noProperties `np`: whether HAL omits the properties of the collection
public record FormatParameters(
        Representation representation, boolean halFull, boolean noProperties, JsonMode jsonMode) {

    static FormatParameters parse(Request request, Parameters.Settings settings) {
        var query = request.query();
        return new FormatParameters(
                query.first("rep").flatMap(Representation::of).orElse(settings.representation()),
                halFull(query),
                query.has("np"),
                request.attribute(JudgedRequest.JSON_MODE).orElseGet(() -> jsonMode(query)));
    }

    /// The JSON mode, also for error bodies when the rest of the query is malformed.
    public static JsonMode jsonMode(Query query) {
        return query.first("jsonMode").flatMap(JsonMode::of).orElse(JsonMode.DEFAULT);
    }

    private static boolean halFull(Query query) {
        var value = query.first("hal").map(v -> v.toUpperCase(Locale.ROOT)).orElse("COMPACT");
        return switch (value) {
            case "FULL", "F" -> true;
            case "COMPACT", "C" -> false;
            default ->
                throw new ProblemException(
                        PARAMETER_INVALID, "illegal hal parameter; valid values are [FULL, F, COMPACT, C]");
        };
    }

    /// How resources are represented: the `rep` parameter.
    public enum Representation {
        STANDARD,
        HAL,
        SHAL;

        /// Empty for an unknown name, which is only worth a warning.
        static Optional<Representation> of(String name) {
            return switch (name.toUpperCase(Locale.ROOT)) {
                case "STANDARD", "S" -> Optional.of(STANDARD);
                case "HAL" -> Optional.of(HAL);
                case "SHAL", "PLAIN_JSON", "PJ" -> Optional.of(SHAL);
                default -> Optional.empty();
            };
        }
    }
}
