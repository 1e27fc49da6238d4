package org.restheart.mongo.changestream;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.background.FollowFailure;

/// The errors of streams that cannot be opened.
final class StreamFailure {
    private StreamFailure() {}

    /// The failure itself if the client did not cause it.
    static RuntimeException refusal(MongoException failure, boolean resuming) {
        return switch (FollowFailure.of(failure)) {
            case UNAVAILABLE -> new ProblemException(ProblemCode.METHOD_NOT_ALLOWED, "method GET not allowed");
            case UNAUTHORIZED, FOR_NOW -> failure;
            case HISTORY_LOST ->
                new ProblemException(ProblemCode.HISTORY_LOST, "Cannot resume change stream: its history is lost");
            case BAD_TOKEN, ONE_EVENT -> {
                var text = failure instanceof MongoCommandException command
                        ? command.getErrorMessage()
                        : String.valueOf(failure.getMessage());
                var what = resuming ? "Cannot resume change stream: " : "Cannot open change stream: ";
                yield new ProblemException(ProblemCode.QUERY_INVALID, what + text);
            }
        };
    }
}
