package org.restheart.rest.parameter;

import static org.restheart.http.parameter.DataParameter.HAL;
import static org.restheart.http.parameter.DataParameter.JSON_MODE;
import static org.restheart.http.parameter.DataParameter.REPRESENTATION;
import static org.restheart.http.parameter.DataParameter.WITHOUT_PROPERTIES;

import org.restheart.bson.JsonMode;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.http.parameter.ParameterValues;

/// The format of a response.
///
/// @param halFull whether HAL contains all links, also those that the client can derive
/// @param noProperties `np`: whether HAL omits the properties of the collection
public record FormatParameters(
        Representation representation, boolean halFull, boolean noProperties, JsonMode jsonMode) {

    static FormatParameters of(Request request, ParameterValues values, Parameters.Settings settings) {
        return new FormatParameters(
                values.choice(REPRESENTATION)
                        .map(Representation::valueOf)
                        .orElse(
                                request.attribute(Answer.KEY).isPresent()
                                        ? Representation.STANDARD
                                        : settings.representation()),
                values.choice(HAL).filter("FULL"::equals).isPresent(),
                values.isOn(WITHOUT_PROPERTIES),
                Answer.of(request, Answer.Json.class)
                        .map(Answer.Json::mode)
                        .orElseGet(() -> jsonMode(request.query())));
    }

    FormatParameters with(JsonMode mode) {
        return new FormatParameters(representation, halFull, noProperties, mode);
    }

    /// The JSON mode, also for error bodies when the rest of the query is malformed.
    public static JsonMode jsonMode(Query query) {
        return JSON_MODE.choice(query).flatMap(JsonMode::of).orElse(JsonMode.DEFAULT);
    }

    /// How resources are represented: the `rep` parameter.
    public enum Representation {
        STANDARD,
        HAL,
        SHAL
    }
}
