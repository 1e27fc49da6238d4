package org.restheart.mongo.reading;

import com.mongodb.MongoCommandException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.bson.RawBsonDocument;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.error.MongoErrors;

final class ReadFailures {
    private ReadFailures() {}

    /// Converts MongoDB's failures to problems, without messages that could quote documents.
    static CompletionStage<List<RawBsonDocument>> withoutDetails(CompletionStage<List<RawBsonDocument>> answer) {
        return answer.exceptionallyCompose(failure -> {
            var cause = cause(failure);
            return CompletableFuture.failedStage(MongoErrors.toProblem(cause)
                    .map(problem -> problem.unquoted().isPresent() ? problem.unquoting() : problem)
                    .<Throwable>map(Problem::raise)
                    .orElse(cause));
        });
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException wrapper && wrapper.getCause() != null
                ? wrapper.getCause()
                : failure;
    }

    /// Whether a command for several queries may have failed because of one of them, so that the others can
    /// succeed by themselves. Queries that together took too long, or too much memory, would take as much one
    /// after the other.
    static boolean mayBeDueToOne(Throwable failure) {
        return switch (cause(failure)) {
            case ProblemException e ->
                e.problem().code() != ProblemCode.UNPROCESSABLE && e.problem().code() != ProblemCode.OVERLOADED;
            case MongoCommandException e -> e.getErrorCode() != MongoCodes.MAX_TIME_EXPIRED;
            default -> false;
        };
    }
}
