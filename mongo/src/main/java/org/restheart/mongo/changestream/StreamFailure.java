package org.restheart.mongo.changestream;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.mongo.error.MongoCodes;

/// What is to be done about an error of a cursor. Codes: MongoDB's `error_codes.yml`.
enum StreamFailure {
    /// It will fail again: there is nothing to go on with.
    FOREVER,
    /// It may work again soon.
    FOR_NOW,
    /// The pipeline cannot do with one event; others may pass.
    ONE_EVENT;

    private static final int NO_REPLICA_SET = 40573;
    private static final int UNAUTHORIZED = 13;
    private static final int BAD_TOKEN = 260;
    private static final int NO_TOKEN_LEFT = 280;
    private static final int HISTORY_LOST = 286;

    static StreamFailure of(MongoException failure) {
        return switch (failure.getCode()) {
            case NO_REPLICA_SET, UNAUTHORIZED, BAD_TOKEN, NO_TOKEN_LEFT, HISTORY_LOST -> FOREVER;
            default -> isTemporary(failure) ? FOR_NOW : ONE_EVENT;
        };
    }

    private static boolean isTemporary(MongoException failure) {
        return !(failure instanceof MongoCommandException)
                || failure.hasErrorLabel("ResumableChangeStreamError")
                || MongoCodes.isOfDeployment(failure.getCode());
    }

    /// What the client of a stream that cannot be opened is told; the failure itself if it is nobody's fault.
    static RuntimeException refusal(MongoException failure, boolean resuming) {
        if (failure.getCode() == NO_REPLICA_SET) {
            return Problem.of(ProblemCode.METHOD_NOT_ALLOWED, "method GET not allowed")
                    .raise();
        }
        if (failure.getCode() == HISTORY_LOST) {
            return Problem.of(ProblemCode.HISTORY_LOST, "Cannot resume change stream: its history is lost")
                    .raise();
        }
        if (isTemporary(failure) || failure.getCode() == UNAUTHORIZED) {
            return failure;
        }
        var text = failure instanceof MongoCommandException command
                ? command.getErrorMessage()
                : String.valueOf(failure.getMessage());
        var what = resuming ? "Cannot resume change stream: " : "Cannot open change stream: ";
        return Problem.of(ProblemCode.QUERY_INVALID, what + text).raise();
    }
}
