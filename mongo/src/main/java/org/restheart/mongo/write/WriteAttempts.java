package org.restheart.mongo.write;

import com.mongodb.MongoWriteException;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.parameter.Parameters.WriteMode;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome.Deleted;
import org.restheart.mongo.write.WriteOutcome.Duplicate;
import org.restheart.mongo.write.WriteOutcome.Missing;

/// Determines the outcome of a conditional write. When nothing matched, another read determines why; when the document
/// changed between the two so that the write would match now, it is repeated. Confined to one request.
record WriteAttempts(DocumentCondition condition) {
    private static final int MAX_ATTEMPTS = 10;

    @FunctionalInterface
    interface Attempt {
        /// Empty if nothing matched.
        Optional<WriteOutcome> run();
    }

    /// @param first the first attempt
    /// @param further every further attempt
    WriteOutcome write(WriteMode mode, Attempt first, Attempt further) {
        for (int i = 0; i < MAX_ATTEMPTS; i++) {
            Optional<WriteOutcome> outcome;
            try {
                outcome = (i == 0 ? first : further).run().or(this::whyNoMatch);
            } catch (MongoWriteException e) {
                if (!MongoCodes.isDuplicateKey(e.getError())) {
                    throw e;
                }
                outcome = MongoCodes.isDuplicateId(e.getError())
                        ? whyDuplicate(mode, e.getError().getMessage())
                        : Optional.of(new Duplicate(e.getError().getMessage()));
            }
            if (outcome.isPresent()) {
                return outcome.get();
            }
        }
        throw changesTooOften();
    }

    /// @param first whether the first attempt deleted the document
    /// @param further the same for every further attempt
    DeleteOutcome delete(BooleanSupplier first, BooleanSupplier further) {
        boolean deleted = first.getAsBoolean();
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            if (deleted) {
                return new Deleted();
            }
            var found = condition.find();
            if (found.isEmpty()) {
                return new Missing();
            }
            var refused = condition.refusal(found.get());
            if (refused.isPresent()) {
                return refused.get();
            }
            deleted = further.getAsBoolean();
        }
        throw changesTooOften();
    }

    /// Empty when the document was changed in the meantime so that the write would match.
    private Optional<WriteOutcome> whyNoMatch() {
        if (condition.isUnconditional()) {
            return Optional.of(new Missing());
        }
        var found = condition.find();
        return found.isEmpty()
                ? Optional.of(new Missing())
                : condition.refusal(found.get()).map(refused -> refused);
    }

    /// The outcome for an existing id. Empty when it was inserted concurrently, so that the next attempt determines
    /// the outcome.
    private Optional<WriteOutcome> whyDuplicate(WriteMode mode, String message) {
        var duplicate = Optional.<WriteOutcome>of(new Duplicate(message));
        if (condition.collection().transaction().isPresent()) { // it has been aborted, so it allows no further read
            return duplicate;
        }
        var found = condition.find();
        if (found.isPresent()) {
            var refused = condition.refusal(found.get()).<WriteOutcome>map(refusal -> refusal);
            return mode == WriteMode.INSERT ? refused.or(() -> duplicate) : refused;
        }
        // A document that does not meet the further conditions: only that its id exists may be told.
        boolean looksFurther = mode == WriteMode.INSERT || !condition.others().isEmpty();
        return looksFurther && condition.idExists() ? duplicate : Optional.empty();
    }

    static ProblemException changesTooOften() {
        return new ProblemException(ProblemCode.CONFLICT, "the document changes too often; try again");
    }
}
