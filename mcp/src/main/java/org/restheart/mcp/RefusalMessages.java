package org.restheart.mcp;

import java.util.regex.Pattern;
import org.bson.BsonDocument;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.Problem;
import org.restheart.http.ShortText;
import org.restheart.http.judged.JudgedRequests;

/// Translates refusals of the REST API to messages that a model can act on and that contain no stored data.
final class RefusalMessages {
    private static final int MAX_LENGTH = 400;
    private static final Pattern QUOTED = Pattern.compile("'([^']*)'|\"([^\"]*)\"|`([^`]*)`");

    private RefusalMessages() {}

    /// Equal for hidden, reserved and missing collections.
    static RefusedCall notVisible() {
        return new RefusedCall("not-permitted", "no such collection, or no permission");
    }

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
                || problem.exception()
                        .filter(reported -> reported.type().startsWith("com.mongodb"))
                        .isPresent();
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
