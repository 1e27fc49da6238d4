package org.restheart.mcp;

import java.util.regex.Pattern;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.text.ShortText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A call of a tool is refused or fails. The result says what to change. Without stack trace, since it is no defect.
final class RefusedCall extends RuntimeException {
    private static final Logger LOG = LoggerFactory.getLogger(RefusedCall.class);
    private static final int MAX_LENGTH = 400;
    private static final Pattern QUOTED = Pattern.compile("'([^']*)'|\"([^\"]*)\"|`([^`]*)`");

    private final String reason;

    /// @param reason from a closed set, for metrics and the audit log
    RefusedCall(String reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    static RefusedCall argument(String message) {
        return new RefusedCall("argument", message);
    }

    /// The client has disconnected, which has interrupted the call.
    static RefusedCall gone() {
        return new RefusedCall("gone", "the client has left");
    }

    /// The result is incomplete: MongoDB refuses the rest or is no longer reachable, or there is a fault, which is
    /// logged.
    static RefusedCall interrupted(ToolCall call, Exception failure) {
        if (failure instanceof RefusedCall refused) {
            return refused;
        }
        if (Thread.currentThread().isInterrupted()) {
            return gone();
        }
        var id = call.http().id();
        if (failure instanceof ProblemException refused && refused.problem().status() < 500) {
            return of(refused.problem(), call.arguments(), id);
        }
        LOG.warn("request {}: the result of {} broke off", id, call.tool().toolName(), failure);
        return new RefusedCall(
                "failed", "the result broke off while it was read: ask for less, or again (request " + id + ")");
    }

    String reason() {
        return reason;
    }

    /// The message for the model, without stored data.
    String text() {
        return String.valueOf(getMessage());
    }

    /// Equal for hidden, reserved and missing collections.
    static RefusedCall notVisible() {
        return new RefusedCall("not-permitted", "no such collection, or no permission");
    }

    /// A refusal of the REST API, with a message that a model can act on and that contains no stored data.
    ///
    /// @param arguments of the call, which the message may quote
    static RefusedCall of(Problem problem, BsonDocument arguments, String requestId) {
        if (JudgedRequests.isNotPermitted(problem)) {
            return notVisible();
        }
        return switch (problem.code()) {
            case RESERVED_NAME, NAMESPACE_NOT_FOUND, NOTHING_BOUND -> notVisible();
            case FORBIDDEN -> new RefusedCall("forbidden", message(problem, arguments, requestId));
            case QUERY_TIMED_OUT ->
                new RefusedCall(
                        "time",
                        "it took too long: ask for less, with a filter that an index serves (see collection-indexes)");
            case DATABASE_UNAVAILABLE, OVERLOADED, TOO_MANY_REQUESTS ->
                new RefusedCall(
                        "busy",
                        "the server is busy or cannot reach the database: try again"
                                + problem.headers()
                                        .first("Retry-After")
                                        .map(seconds -> " in " + seconds + " s")
                                        .orElse(" later"));
            default ->
                problem.status() < 500
                        ? new RefusedCall("refused", message(problem, arguments, requestId))
                        : new RefusedCall("failed", failed(requestId));
        };
    }

    static String failed(String requestId) {
        return "the server failed; its log has more about request " + requestId;
    }

    /// MongoDB's messages may quote documents; only quotes of the arguments are shown.
    private static String message(Problem problem, BsonDocument arguments, String requestId) {
        boolean isMongos = problem.unquoted().isPresent()
                || problem.cause().filter(BsonValue::isDocument).isPresent();
        if (isMongos && !quotesOnly(problem.message(), arguments)) {
            return problem.unquoted().orElse("MongoDB refused it") + " (request " + requestId + ")";
        }
        return Fence.escaped(ShortText.of(problem.message(), MAX_LENGTH));
    }

    private static boolean quotesOnly(String message, BsonDocument arguments) {
        if (message.indexOf('{') >= 0 || message.length() > MAX_LENGTH) {
            return false;
        }
        var sent = JsonEncoder.of(JsonMode.RELAXED).encodeToString(arguments);
        return QUOTED.matcher(message)
                .results()
                .allMatch(found -> found.group().length() == 2
                        || sent.contains(
                                found.group().substring(1, found.group().length() - 1)));
    }
}
