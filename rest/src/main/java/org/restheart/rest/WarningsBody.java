package org.restheart.rest;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonParser;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.Content;
import org.restheart.http.Fields;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Method;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.rest.content.DataContent;
import org.restheart.rest.parameter.FormatParameters;
import org.restheart.rest.parameter.ParameterWarnings;

/// Adds warnings to a response: as headers, and as the property `_warnings` in the content of responses to writes,
/// which are JSON objects or empty.
public final class WarningsBody {
    private WarningsBody() {}

    public static Response.Ready add(Request request, Response.Ready response, List<String> warnings) {
        return toBody(request, header(response, warnings), warnings);
    }

    /// Adds warnings about the parameters to a refusal, and what its request may be instead.
    static RuntimeException add(Request request, RuntimeException failure, ParameterWarnings.OfParameters warnings) {
        if (!(failure instanceof ProblemException refusal)) {
            return failure;
        }
        var hints = DataContent.hints(request, refusal.problem());
        var remedies = Remedies.of(request, refusal.problem());
        var all = new ArrayList<>(warnings.all());
        if (hints.isEmpty() && remedies.isEmpty() && all.isEmpty()) {
            return failure;
        }
        if (refusal.problem().code() == ProblemCode.NOT_FOUND) {
            all.addAll(0, remedies);
        }
        var problem = refusal.problem()
                .withHints(hints)
                .withHints(remedies)
                .withWarnings(warnings.former())
                .withHints(warnings.further());
        for (var warning : all) {
            problem = problem.with(Fields.of("Warning", FoundWarnings.line(warning)));
        }
        return problem.raise();
    }

    private static Response.Ready header(Response.Ready response, List<String> warnings) {
        var warned = response;
        for (var warning : warnings) {
            warned = warned.withAlso("Warning", FoundWarnings.line(warning));
        }
        return warned;
    }

    private static Response.Ready toBody(Request request, Response.Ready response, List<String> warnings) {
        boolean mayHaveBody = response.status() >= 200 && response.status() != 204 && response.status() != 304;
        if (request.method() == Method.GET || request.method() == Method.HEAD || !mayHaveBody) {
            return response;
        }
        return switch (response.content()) {
            case Content.None _ -> with(request, response, new BsonDocument(), warnings);
            case Content.Bytes(var buffer, var _) -> {
                var body = JsonParser.parse(
                        StandardCharsets.UTF_8.decode(buffer.duplicate()).toString());
                yield body.isDocument() ? with(request, response, body.asDocument(), warnings) : response;
            }
            case Content.Streamed _, Content.Push _ -> response;
        };
    }

    private static Response.Ready with(
            Request request, Response.Ready response, BsonDocument body, List<String> warnings) {
        var all = new BsonDocument();
        all.putAll(body);
        var lines = BsonTexts.array(warnings);
        if (body.get("_warnings") instanceof BsonArray earlier) {
            lines.addAll(0, earlier);
        }
        all.append("_warnings", lines);
        var out = new Utf8Buffer();
        JsonEncoder.of(FormatParameters.jsonMode(request.query())).encode(all, out);
        return response.with(Response.JSON, new Content.Bytes(out.toByteBuffer(), request.lease()));
    }
}
