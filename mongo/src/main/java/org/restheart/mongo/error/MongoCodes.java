package org.restheart.mongo.error;

import com.mongodb.ErrorCategory;
import com.mongodb.WriteError;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.text.Words;

/// MongoDB's error codes as problems (`error_codes.yml` in its sources; the manual, "Error Codes").
public final class MongoCodes {
    /// `Unauthorized`: MongoDB's user lacks a privilege.
    public static final int UNAUTHORIZED = 13;

    /// `IllegalOperation`: a standalone server has no transactions.
    public static final int ILLEGAL_OPERATION = 20;

    public static final int INDEX_NOT_FOUND = 27;

    public static final int DUPLICATE_KEY = 11000;

    /// Of a change stream on a server that is no member of a replica set.
    public static final int NO_CHANGE_STREAMS = 40573;

    /// `CommandNotSupportedOnView`.
    public static final int NOT_SUPPORTED_ON_VIEW = 166;

    /// `MaxTimeMSExpired`.
    public static final int MAX_TIME_EXPIRED = 50;

    /// `UnknownError`.
    private static final int UNKNOWN = 8;

    /// `OutOfDiskSpace`.
    private static final int OUT_OF_DISK = 14031;

    private static final String INDEX = " index: ";

    private static final String CAUSE = " :: caused by :: ";

    private static final Pattern CONSTANT_PREFIX =
            Pattern.compile("Invalid \\$[A-Za-z]{1,30}|Plan ?[Ee]xecutor error during [a-z]{1,20}");

    private static final int INVALID_REGEX = 51091;

    /// Texts that name an operator or a stage: these are parsed from the query, and never come from documents.
    private static final Pattern UNKNOWN_NAME = Pattern.compile("(?:unknown (?:top level )?operator: |"
            + "unknown group operator '|Unrecognized pipeline stage name: '|Unrecognized expression ')"
            + "\\$[A-Za-z0-9]{1,40}'?");

    /// Texts about indexes that a search needs, which are the same for all documents.
    private static final Set<String> MISSING_INDEXES = Set.of(
            "text index required for $text query",
            "failed to use text index to satisfy $text query (if text index is compound, are equality predicates given"
                    + " for all prefix fields?)",
            "unable to find index for $geoNear query");

    private static final Pattern UNAUTHORIZED_COMMAND =
            Pattern.compile("not authorized on \\S{1,64} to execute command \\{ ([A-Za-z]{1,40}):");

    /// Of commands that are not named as the action that they need.
    private static final Map<String, String> ACTIONS = Words.pairs("""
        aggregate=find count=find distinct=find getMore=find explain=find delete=remove findAndModify=update
        createIndexes=createIndex dropIndexes=dropIndex create=createCollection drop=dropCollection
        renameCollection=renameCollectionSameDB killOp=killop\
        """);

    private MongoCodes() {}

    static Problem timeLimit() {
        return Problem.of(ProblemCode.QUERY_TIMED_OUT, "Operation exceeded time limit");
    }

    /// @param message MongoDB's text for the error; shown only where it describes the client's own input
    public static Problem ofCode(int code, String message) {
        return switch (code) {
            case 2, 51091, 51108, 31249, 168, 17276, 31254 ->
                Problem.of(ProblemCode.QUERY_INVALID, "Invalid query parameter: " + message)
                        .orElse(
                                namesUnknown(message)
                                        ? "Invalid query parameter: " + message
                                        : code == INVALID_REGEX
                                                ? "Invalid query parameter: a regular expression is invalid"
                                                : "Invalid query parameter, " + error(code));
            case 31253, 17287 ->
                Problem.of(ProblemCode.QUERY_INVALID, "Keys projection cannot have a mix of inclusion and exclusion");
            case 15974, 17312 -> Problem.of(ProblemCode.QUERY_INVALID, "Invalid sort parameter");
            case 15975 ->
                Problem.of(
                        ProblemCode.QUERY_INVALID,
                        "Sort order must be 1 (for ascending) or -1 (for descending): Invalid sort parameter");
            case 31138 -> Problem.of(ProblemCode.QUERY_INVALID, "Illegal inclusion in exclusion projection");
            case 56, 40353, 40352, 15998, 16410 ->
                Problem.of(ProblemCode.QUERY_INVALID, "Invalid field name: it is empty or starts with $");
            case 40323 -> Problem.of(ProblemCode.QUERY_INVALID, "A pipeline stage must have exactly one field");
            case 241 -> Problem.of(ProblemCode.QUERY_INVALID, "A value could not be converted");
            case 61 ->
                Problem.of(
                        ProblemCode.QUERY_INVALID,
                        "Write requires the shard key: pass it with the shardkey query parameter");
            case 66 -> Problem.of(ProblemCode.FORBIDDEN, "Update tried to change the immutable shardkey");
            case 73 -> Problem.of(ProblemCode.QUERY_INVALID, "Invalid database name");
            case 121 -> Problem.of(ProblemCode.CONTENT_INVALID, Problem.FAILED_VALIDATION);
            case 112 -> Problem.of(ProblemCode.CONFLICT, "Write conflict inside transaction");
            case 225, 251, 256 ->
                Problem.of(ProblemCode.BAD_REQUEST, "The given transaction is not in-progress")
                        .withHints(
                                List.of("it was not begun, has ended, or was aborted: by a write that failed, or since"
                                        + " it was open for too long. GET /_sessions/{sid}/_txns shows the present one,"
                                        + " POST begins the next"));
            case DUPLICATE_KEY, 11001 ->
                Problem.of(ProblemCode.DUPLICATE_KEY, duplicateKey(message)).orElse(Problem.DUPLICATE_KEY_ERROR);
            case 13297 -> Problem.of(ProblemCode.CONFLICT, "Db already exists with different case");
            case UNAUTHORIZED ->
                Problem.of(ProblemCode.FORBIDDEN, "The MongoDB user does not have enough permissions")
                        .withHints(
                                missingAction(message)
                                        .map(action -> "the MongoDB user of this server lacks a privilege: " + action)
                                        .stream()
                                        .toList());
            case 18 -> wrongCredentials();
            case MAX_TIME_EXPIRED -> timeLimit();
            // Refusals caused by the client's input are client errors: type mismatches, conflicting operators,
            // fields that cannot be stored, unknown operators in expressions, more memory than a query may take.
            case 9, 14, 40, 52, 55, 57, 28, 16836, 40324, 10065, 16755, 16756, 16804, 28646, 40415, 51024, 54 ->
                Problem.of(ProblemCode.CONTENT_INVALID, message).orElse(unquoted(code, message));
            case 146, 292, 510, 511 ->
                Problem.of(ProblemCode.CONTENT_INVALID, message).orElse(unquoted(code, message));
            case 10334, 17280, 17419, 17420 -> tooLarge();
            default ->
                isTemporary(code)
                        ? unavailable("MongoDB cannot do this now")
                        : isDiskFull(code, message)
                                ? diskFull()
                                : Problem.of(
                                        ProblemCode.INTERNAL,
                                        "Error handling the request, see log for more information");
        };
    }

    /// Which action, as MongoDB's documentation names it, a user lacks.
    ///
    /// @param message MongoDB's, which quotes the command; only the command's name is read
    public static Optional<String> missingAction(String message) {
        var quoted = UNAUTHORIZED_COMMAND.matcher(message);
        if (!quoted.find()) {
            return Optional.empty();
        }
        var command = quoted.group(1);
        return Optional.of(message.contains("$changeStream") ? "changeStream" : ACTIONS.getOrDefault(command, command));
    }

    /// Not 403, which would say that the caller may not do something: the password is being changed, or is wrong here.
    static Problem wrongCredentials() {
        return unavailable("MongoDB does not accept the credentials of this server");
    }

    /// With `Retry-After`: elections and restarts take some seconds.
    public static Problem unavailable(String message) {
        return Problem.of(ProblemCode.DATABASE_UNAVAILABLE, message).with("Retry-After", "5");
    }

    /// Whether a write failed for want of space, which storage engines report as an unknown error with the system's
    /// text. It was not written; a `mongod` that can write nothing ends soon, and another member takes over.
    public static boolean isDiskFull(int code, String message) {
        return code == OUT_OF_DISK || (code == UNKNOWN && message.endsWith("No space left on device"));
    }

    public static Problem diskFull() {
        return unavailable("not written: MongoDB has no space left on its disk");
    }

    static Problem tooLarge() {
        return Problem.of(ProblemCode.CONTENT_TOO_LARGE, "the document is larger than 16 MiB");
    }

    /// A write of one document that was given up at its time limit.
    public static Problem blocked() {
        return unavailable("not written in time: an open transaction may hold the document, or an operation on the"
                + " collection waits for one");
    }

    /// An error about one statement of a write.
    ///
    /// @param message MongoDB's text, which describes the statement and the document
    public static Problem ofWriteError(int code, String message) {
        if (code == MAX_TIME_EXPIRED) { // never of MongoDB, which fails the whole command then
            return blocked();
        }
        return ofStatement(code, reason(message), ProblemCode.CONTENT_INVALID);
    }

    /// An error about a command.
    ///
    /// @param message MongoDB's text, which describes the command
    static Problem ofCommandError(int code, String message) {
        return ofStatement(code, reason(message), ProblemCode.QUERY_INVALID);
    }

    /// The part of MongoDB's message that states the reason, and of the text before it only fixed phrases:
    /// the rest contains namespaces and the whole query with the filter of the access rule.
    static String reason(String message) {
        var reason = new StringBuilder();
        int from = 0;
        for (int cause = message.indexOf(CAUSE); cause >= 0; cause = message.indexOf(CAUSE, from)) {
            var part = message.substring(from, cause);
            if (CONSTANT_PREFIX.matcher(part).matches()) {
                reason.append(part).append(CAUSE);
            }
            from = cause + CAUSE.length();
        }
        return reason.append(message, from, message.length()).toString();
    }

    /// An error of a query or an update is a client error unless the code is one of the deployment: MongoDB has
    /// thousands of codes for statements that it cannot evaluate or apply.
    private static Problem ofStatement(int code, String message, ProblemCode refusal) {
        var known = ofCode(code, message);
        return known.code() == ProblemCode.INTERNAL && !isOfDeployment(code)
                ? Problem.of(refusal, message).orElse(unquoted(code, message))
                : known;
    }

    /// MongoDB's text if it cannot quote a document, else the code.
    private static String unquoted(int code, String message) {
        return namesUnknown(message) || MISSING_INDEXES.contains(message) ? message : error(code);
    }

    private static boolean namesUnknown(String message) {
        return UNKNOWN_NAME.matcher(message).matches();
    }

    /// An error without MongoDB's text.
    public static String error(int code) {
        return "MongoDB error " + code;
    }

    /// Whether the code reports a temporary failure: an election, a stepdown, a shutdown, a restart, or an operation
    /// that these interrupt ("retryable" in MongoDB's error_codes.yml, and 11601).
    public static boolean isTemporary(int code) {
        return switch (code) {
            case 6, 7, 89, 9001 -> true; // network
            case 24, 64, 133, 134, 202, 262, 281, 317 -> true; // locks, elections, time, write concern
            case 462, 509 -> true; // overload
            case 63, 150, 249, 13388 -> true; // a router or a shard whose routing table is stale
            case 91, 189, 10058, 10107, 11600, 11601, 11602, 13435, 13436 ->
                true; // not primary, shutting down, interrupted
            default -> false;
        };
    }

    /// Whether the code reports a failure of the deployment, as opposed to one of the statement.
    public static boolean isOfDeployment(int code) {
        return isTemporary(code)
                || switch (code) {
                    case 0, 1, UNKNOWN -> true; // no, an internal or an unknown error
                    case 46, 234, 79, 100 -> true; // locks, write concern
                    case 43, 136, 175, 237, 246 -> true; // cursors and snapshots that are gone
                    case 59, 115, 8000 -> true; // commands that this deployment does not have
                    case 13297 -> true; // a database of another case
                    case 96, OUT_OF_DISK, 17322 -> true; // operation failed, out of disk
                    default -> false;
                };
    }

    /// Whether a write violates a unique index.
    public static boolean isDuplicateKey(WriteError error) {
        return error.getCategory() == ErrorCategory.DUPLICATE_KEY;
    }

    /// Whether the id exists, as opposed to a value of another unique index. MongoDB names the index only in the text
    /// of a write error: `E11000 duplicate key error collection: db.c index: _id_ dup key: { _id: 1 }`.
    /// The value comes last, so that it cannot be taken for the name.
    public static boolean isDuplicateId(WriteError error) {
        var text = error.getMessage();
        int value = text.indexOf(" dup key:");
        var before = value < 0 ? text : text.substring(0, value);
        return isDuplicateKey(error) && (before + " ").startsWith("_id_ ", before.lastIndexOf(INDEX) + INDEX.length());
    }

    private static String duplicateKey(String message) {
        int at = message.indexOf("dup key:");
        return at < 0 ? Problem.DUPLICATE_KEY_ERROR : Problem.DUPLICATE_KEY_ERROR + ": " + message.substring(at);
    }
}
