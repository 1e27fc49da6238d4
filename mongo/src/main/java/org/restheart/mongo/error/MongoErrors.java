package org.restheart.mongo.error;

import com.mongodb.DuplicateKeyException;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoConnectionPoolClearedException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoSocketException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteConcernException;
import com.mongodb.MongoWriteException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonMaximumSizeExceededException;
import org.bson.BsonSerializationException;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.UnusablePathException;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;

/// Converts MongoDB's errors to problems. Never contains the server's raw reply, which names hosts.
public final class MongoErrors {
    /// Most characters of MongoDB's text.
    private static final int MAX_DETAIL = 100;

    /// `WriteConcernFailed`: the time of the write concern is over.
    private static final int NOT_CONFIRMED = 64;

    /// `UnknownReplWriteConcern` and `UnsatisfiableWriteConcern`: the deployment has no such members.
    private static final Set<Integer> UNSATISFIABLE = Set.of(79, 100);

    private static final String RETRYABLE_WRITE = "RetryableWriteError";

    /// Labels of errors that MongoDB itself calls temporary; the last two are those of an overloaded server since 8.
    private static final List<String> TEMPORARY = List.of(RETRYABLE_WRITE, "SystemOverloadedError", "RetryableError");

    private MongoErrors() {}

    /// Whether MongoDB was silent for longer than its connection waits.
    public static boolean isTimeout(@Nullable Throwable failure) {
        for (var cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SocketTimeoutException) {
                return true;
            }
        }
        return false;
    }

    /// Empty for a failure that is not MongoDB's.
    public static Optional<Problem> toProblem(Throwable failure) {
        return Optional.ofNullable(problem(failure));
    }

    /// MongoDB's failure as a problem that quotes no documents, for callers who may not read them. Others stay.
    public static Throwable unquoted(Throwable failure) {
        return toProblem(failure)
                .<Throwable>map(problem -> problem.unquoting().raise(failure))
                .orElse(failure);
    }

    private static @Nullable Problem problem(Throwable failure) {
        return switch (failure) {
            case MongoExecutionTimeoutException _ -> MongoCodes.timeLimit();
            case ShareTakenException e -> Problem.overloaded(String.valueOf(e.getMessage()));
            case UnknownOutcomeException _ ->
                MongoCodes.unavailable(
                        "MongoDB failed meanwhile: whether the write took place, or which part of it, is not known");
            case MongoOperationTimeoutException e ->
                MongoCodes.unavailable(
                        e.getCause() instanceof MongoExecutionTimeoutException
                                ? "MongoDB ended this after its time limit; a transaction may hold the document"
                                : "MongoDB does not answer in time, a transaction may hold the document: whether a"
                                        + " write took place is not known");
            case UnsatisfiedPreferenceException e -> MongoCodes.unavailable(String.valueOf(e.getMessage()));
            case MongoTimeoutException _ -> MongoCodes.unavailable("Timeout connecting to MongoDB, is it running?");
            case MongoSecurityException _ -> MongoCodes.wrongCredentials();
            case MongoSocketException _ ->
                MongoCodes.unavailable("Error communicating with MongoDB: whether a write took place is not known");
            case MongoConnectionPoolClearedException _ -> // nothing was sent this time
                MongoCodes.unavailable("The connections to MongoDB have just failed");
            case MongoInterruptedException _ -> // its server is silent, or the gateway stops
                MongoCodes.unavailable("MongoDB does not answer any more: whether a write took place is not known");
            case MongoWriteException e ->
                MongoCodes.ofWriteError(e.getError().getCode(), e.getError().getMessage());
            case MongoBulkWriteException e
            when !e.getWriteErrors().isEmpty() -> {
                var first = e.getWriteErrors().getFirst();
                yield MongoCodes.ofWriteError(first.getCode(), first.getMessage());
            }
            case MongoBulkWriteException e
            when e.getWriteConcernError() != null ->
                ofConcern(e.getWriteConcernError().getCode(), e);
            case BsonMaximumSizeExceededException _ -> MongoCodes.tooLarge();
            case UnusablePathException e -> Problem.of(ProblemCode.CONTENT_INVALID, String.valueOf(e.getMessage()));
            case BsonSerializationException e ->
                Problem.of(ProblemCode.CONTENT_INVALID, "Invalid BSON: " + e.getMessage());
            case DuplicateKeyException _ -> MongoCodes.ofCode(MongoCodes.DUPLICATE_KEY, "");
            case MongoWriteConcernException e ->
                ofConcern(e.getWriteConcernError().getCode(), e);
            // What MongoDB itself calls temporary is no fault of the statement, whatever its code.
            case MongoException e
            when TEMPORARY.stream().anyMatch(e::hasErrorLabel) -> MongoCodes.unavailable("MongoDB cannot do this now");
            case MongoCommandException e -> MongoCodes.ofCommandError(e.getErrorCode(), e.getErrorMessage());
            case MongoException e -> MongoCodes.ofCode(e.getCode(), "Error handling the request");
            default -> null;
        };
    }

    /// A member that applied a write and then lost its role may see the write rolled back: its outcome is unknown. So
    /// is that of a write that no majority has confirmed in time.
    private static Problem ofConcern(int code, MongoException e) {
        if (code == NOT_CONFIRMED || code == MongoCodes.MAX_TIME_EXPIRED) {
            return MongoCodes.unavailable(
                    "the members of MongoDB have not confirmed the write in time: whether it stays is not known");
        }
        if (UNSATISFIABLE.contains(code)) {
            return MongoCodes.unavailable(
                    "the write was applied, but MongoDB has too few members for its write concern");
        }
        return e.hasErrorLabel(RETRYABLE_WRITE)
                        || MongoCodes.ofCode(code, "").code() == ProblemCode.DATABASE_UNAVAILABLE
                ? MongoCodes.unavailable("MongoDB changed its primary: whether the write stays is not known")
                : Problem.of(
                        ProblemCode.INTERNAL, "the write was applied but its write concern could not be satisfied");
    }

    /// `{code, codeName, errmsg}`, which clients of indexes and aggregations expect in addition to the message.
    public static BsonDocument details(MongoCommandException e) {
        var message = MongoCodes.reason(e.getErrorMessage());
        return new BsonDocument("code", new BsonInt32(e.getErrorCode()))
                .append("codeName", new BsonString(e.getErrorCodeName()))
                .append(
                        "errmsg",
                        new BsonString(
                                message.length() > MAX_DETAIL ? message.substring(0, MAX_DETAIL) + "..." : message));
    }
}
