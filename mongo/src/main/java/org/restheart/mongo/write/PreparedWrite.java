package org.restheart.mongo.write;

import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.parameter.WriteMode;
import org.restheart.mongo.write.WriteOutcome.Changed;
import org.restheart.mongo.write.WriteOutcome.Created;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome.Deleted;
import org.restheart.mongo.write.WriteOutcome.Duplicate;
import org.restheart.mongo.write.WriteOutcome.Missing;

/// A prepared write of a [TargetDocument].
sealed interface PreparedWrite<O> extends DocumentWrite<O> {
    DocumentCondition condition();

    @Override
    default MongoNamespace namespace() {
        return condition().collection().namespace();
    }

    @Override
    default BsonValue id() {
        return condition().id();
    }

    @Override
    default WriteConcern writeConcern() {
        return condition().collection().writeConcern();
    }

    /// A replacement or an update.
    ///
    /// @param attempt executes it separately
    record Change(
            DocumentCondition condition,
            WriteMode mode,
            Optional<BsonDocument> statement,
            WriteAttempts.Attempt attempt)
            implements PreparedWrite<WriteOutcome> {
        @Override
        public WriteOutcome alone() {
            return new WriteAttempts(condition).write(mode, attempt, attempt);
        }

        @Override
        public Optional<WriteOutcome> outcome(StatementResult result) {
            return switch (result) {
                case StatementResult.Done() -> Optional.of(new Changed());
                case StatementResult.Upserted() -> Optional.of(new Created());
                case StatementResult.NoMatch() ->
                    condition.isUnconditional() ? Optional.of(new Missing()) : Optional.empty();
                case StatementResult.Failed(var reason) -> {
                    if (!MongoCodes.isDuplicateKey(reason.getError())) {
                        throw reason;
                    }
                    yield MongoCodes.isDuplicateId(reason.getError())
                            ? Optional.empty()
                            : Optional.of(new Duplicate(reason.getError().getMessage()));
                }
            };
        }

        @Override
        public WriteOutcome explained(StatementResult result) {
            return new WriteAttempts(condition)
                    .write(
                            mode,
                            () -> {
                                if (result instanceof StatementResult.Failed(var reason)) {
                                    throw reason;
                                }
                                return Optional.empty();
                            },
                            attempt);
        }
    }

    /// @param attempt deletes the document separately; false if nothing matched
    record Removal(DocumentCondition condition, Optional<BsonDocument> statement, BooleanSupplier attempt)
            implements PreparedWrite<DeleteOutcome> {
        @Override
        public DeleteOutcome alone() {
            return new WriteAttempts(condition).delete(attempt, attempt);
        }

        @Override
        public Optional<DeleteOutcome> outcome(StatementResult result) {
            return isDone(result)
                    ? Optional.of(new Deleted())
                    : condition.isUnconditional() ? Optional.of(new Missing()) : Optional.empty();
        }

        @Override
        public DeleteOutcome explained(StatementResult result) {
            return new WriteAttempts(condition).delete(() -> isDone(result), attempt);
        }

        private static boolean isDone(StatementResult result) {
            return switch (result) {
                case StatementResult.Done() -> true;
                case StatementResult.NoMatch() -> false;
                case StatementResult.Failed(var reason) -> throw reason;
                case StatementResult.Upserted() -> throw new IllegalStateException("a deletion cannot insert");
            };
        }
    }
}
