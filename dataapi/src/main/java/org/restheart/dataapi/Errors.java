package org.restheart.dataapi;

import static org.restheart.bson.BsonValues.object;

import java.util.Optional;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.Accepted;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.judged.DataWrite;
import org.restheart.http.judged.JudgedRequests;

/// Errors in the format of the Atlas Data API.
///
/// @param linkBase see [DataApiConfig]
record Errors(String linkBase) {
    Response.Ready answer(Request request, Refusal refusal) {
        return answer(request, refusal.status(), refusal.code(), refusal.text());
    }

    private Response.Ready answer(Request request, int status, String code, String text) {
        var body = object("error", text, "error_code", code, "link", linkBase.isEmpty() ? "" : linkBase + request.id());
        return Response.json(status, JsonEncoder.of(JsonMode.RELAXED).encodeToString(body))
                .with("Content-Type", "application/json");
    }

    /// For problems that no action has raised: limits in front of the service, and faults.
    Response.Ready answer(Request request, Problem problem) {
        return answer(
                request,
                general(problem).orElseGet(() -> new Refusal(problem.status(), "InvalidParameter", problem.message())));
    }

    /// @param namespace `database.collection`
    Response.Ready answer(Request request, Action action, String namespace, Problem problem) {
        var refusal = refusal(action, namespace, problem);
        return answer(request, refusal).with("Retry-After", problem.headers().first("Retry-After"));
    }

    private static Refusal refusal(Action action, String namespace, Problem problem) {
        if (JudgedRequests.isNotPermitted(problem)) {
            return notPermitted(namespace);
        }
        return general(problem).orElseGet(() -> ofAction(action, namespace, problem));
    }

    /// Limits and failures of the server, which are the same for all actions; empty for others.
    private static Optional<Refusal> general(Problem problem) {
        var text = problem.message();
        return switch (problem.code()) {
            case CONTENT_TOO_LARGE -> Optional.of(new Refusal(413, "InvalidParameter", text));
            case TOO_MANY_REQUESTS -> Optional.of(new Refusal(429, "InternalServerError", text));
            case DATABASE_UNAVAILABLE, OVERLOADED -> Optional.of(new Refusal(503, "InternalServerError", text));
            default ->
                problem.status() < 500
                        ? Optional.empty()
                        : Optional.of(
                                new Refusal(500, "InternalServerError", "internal error; see the log of the server"));
        };
    }

    private static Refusal ofAction(Action action, String namespace, Problem problem) {
        var text = problem.message();
        if (JudgedRequests.isTooManyDocuments(problem)) {
            return new Refusal(400, "ReadSizeLimitExceeded", text);
        }
        return switch (problem.code()) {
            case RESERVED_NAME -> notPermitted(namespace);
            case FORBIDDEN -> new Refusal(403, "ArgumentsNotAllowed", text);
            case NAMESPACE_NOT_FOUND -> Refusal.parameter(namespace + " does not exist");
            case DUPLICATE_KEY -> mongo(action, duplicate(text));
            case QUERY_TIMED_OUT -> new Refusal(408, "ExecutionTimeLimitExceeded", text);
            default ->
                DataWrite.isFailedValidation(problem)
                        ? new Refusal(400, "SchemaValidationFailedWrite", text)
                        : mongo(action, text);
        };
    }

    static Refusal notPermitted(String namespace) {
        return new Refusal(403, "NoMatchingRuleFound", "no rule exists for namespace '" + namespace + "'");
    }

    static Refusal mongo(Action action, String text) {
        return new Refusal(400, "MongoDBError", action.failure() + text);
    }

    static String duplicate(String text) {
        return text.startsWith(Problem.DUPLICATE_KEY_ERROR)
                ? "E11000 duplicate key error" + text.substring(Problem.DUPLICATE_KEY_ERROR.length())
                : text;
    }

    /// Whether the client accepts RFC 9457 instead.
    static boolean areWantedAsProblem(Request request) {
        return Accepted.of(request.headers()).named("application/problem+json") > 0;
    }

    /// Without content, as clients know it, unless they accept problems.
    static Response.Ready unknown(Request request, String fault) {
        if (areWantedAsProblem(request)) {
            throw new ProblemException(ProblemCode.NOT_FOUND, fault);
        }
        return Response.status(404).with("Warning", FoundWarnings.line(fault));
    }

    static Problem toProblem(Refusal refusal) {
        var code = switch (refusal.status()) {
            case 401 -> ProblemCode.AUTHENTICATION_REQUIRED;
            case 403 -> ProblemCode.FORBIDDEN;
            case 404 -> ProblemCode.NOT_FOUND;
            case 405 -> ProblemCode.METHOD_NOT_ALLOWED;
            default -> ProblemCode.BAD_REQUEST;
        };
        return Problem.of(code, refusal.text());
    }
}
