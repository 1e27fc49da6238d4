package org.restheart.http.judged;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.attribute.Key;

/// Options of a write that only judged requests have, and its result, which its response says.
public final class DataWrite {
    /// Whether the documents of an array are inserted in their order, up to the first that fails. Not for a
    /// request that may be a repeated one: what it has inserted before fails.
    public static final Key<Boolean> ORDERED = Key.named("ordered");

    /// Set for requests that must not change anything: a stored pipeline that ends in `$out` or `$merge` is
    /// refused.
    public static final Key<Boolean> FORBIDDEN = Key.named("no writes");

    /// Set to true by a request that has written although its method is safe, for the audit log.
    public static final Key<AtomicBoolean> NOTED = Key.named("has written");

    /// Begins the messages of documents that the schema of their collection refuses.
    public static final String VIOLATES_SCHEMA = "Request content violates schema";

    private DataWrite() {}

    /// The result of a write.
    ///
    /// @param modified changed documents, not counting entity tags
    /// @param inserted the ids of inserted documents, in the request's order; none for lines
    /// @param upserted the id of a document that was inserted because none matched
    /// @param errors of single documents or statements: `index`, `httpStatus`, `mongodbErrorCode` where it tells
    ///     more, and the `message` if the caller may know it; of lines at most 1,000, with `line`, or
    ///     with the first and the `lastLine` of several, in place of `index`
    /// @param complete whether the rest was tried after what failed: false for lines that were not read
    public record Report(
            long matched,
            long modified,
            long deleted,
            List<BsonValue> inserted,
            Optional<BsonValue> upserted,
            List<BsonDocument> errors,
            boolean complete) {
        private static final int DUPLICATE_KEY = 11000;

        public static Report inserted(List<BsonValue> ids, List<BsonDocument> errors) {
            return new Report(0, 0, 0, ids, Optional.empty(), errors, true);
        }

        public static Report changed(long matched, long modified) {
            return new Report(matched, modified, 0, List.of(), Optional.empty(), List.of(), true);
        }

        public static Report upserted(BsonValue id) {
            return new Report(0, 0, 0, List.of(), Optional.of(id), List.of(), true);
        }

        /// The first error, if there is one, with a message for any caller.
        public Optional<Problem> failure() {
            return errors.stream().findFirst().map(Report::failure);
        }

        private static Problem failure(BsonDocument error) {
            int code = number(error, "mongodbErrorCode");
            boolean duplicate = number(error, "httpStatus") == 409 || code == DUPLICATE_KEY;
            var withheld = duplicate
                    ? Problem.DUPLICATE_KEY_ERROR
                    : code == 0 ? "MongoDB refused it" : "MongoDB error " + code;
            return Problem.of(
                            duplicate ? ProblemCode.DUPLICATE_KEY : ProblemCode.CONTENT_INVALID,
                            error.getString("message", new BsonString(withheld)).getValue())
                    .orElse(withheld);
        }

        private static int number(BsonDocument error, String name) {
            return error.getNumber(name, new BsonInt32(0)).intValue();
        }

        public static Report deleted(long deleted) {
            return new Report(0, 0, deleted, List.of(), Optional.empty(), List.of(), true);
        }
    }

    /// Whether a write is refused by the validator or the schema of its collection.
    public static boolean isFailedValidation(Problem problem) {
        return problem.code() == ProblemCode.CONTENT_INVALID
                && (problem.message().startsWith(Problem.FAILED_VALIDATION)
                        || problem.message().startsWith(VIOLATES_SCHEMA));
    }
}
