package org.restheart.mongo.changestream;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.mongo.background.FollowFailure;

/// The errors of streams that cannot be opened.
final class StreamFailure {
    private StreamFailure() {}

    /// The failure itself if the client did not cause it.
    static RuntimeException refusal(MongoException failure, boolean resuming) {
        return switch (FollowFailure.of(failure)) {
            case UNAVAILABLE ->
                Problem.of(ProblemCode.METHOD_NOT_ALLOWED, "method GET not allowed")
                        .raise();
            case UNAUTHORIZED, FOR_NOW -> failure;
            case HISTORY_LOST ->
                Problem.of(ProblemCode.HISTORY_LOST, "Cannot resume change stream: its history is lost")
                        .raise();
            case BAD_TOKEN, ONE_EVENT -> {
                var text = failure instanceof MongoCommandException command
                        ? command.getErrorMessage()
                        : String.valueOf(failure.getMessage());
                var what = resuming ? "Cannot resume change stream: " : "Cannot open change stream: ";
                yield Problem.of(ProblemCode.QUERY_INVALID, what + text).raise();
            }
        };
    }
}
