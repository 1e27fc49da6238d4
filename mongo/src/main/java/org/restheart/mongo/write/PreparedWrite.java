package org.restheart.mongo.write;

import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.mongo.parameter.WriteMode;
import org.restheart.mongo.write.WriteOutcome.Changed;
import org.restheart.mongo.write.WriteOutcome.Created;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome.Deleted;
import org.restheart.mongo.write.WriteOutcome.Duplicate;
import org.restheart.mongo.write.WriteOutcome.Missing;

/// A prepared write of a [TargetDocument].
sealed interface PreparedWrite<O> extends DocumentWrite<O> {
    TargetDocument target();

    @Override
    default MongoNamespace namespace() {
        return target().collection().namespace();
    }

    @Override
    default BsonValue id() {
        return target().id();
    }

    @Override
    default WriteConcern writeConcern() {
        return target().collection().writeConcern();
    }

    /// A replacement or an update.
    ///
    /// @param attempt executes it separately
    record Change(
            TargetDocument target, WriteMode mode, Optional<BsonDocument> statement, TargetDocument.Attempt attempt)
            implements PreparedWrite<WriteOutcome> {
        @Override
        public WriteOutcome alone() {
            return target.write(mode, attempt, attempt);
        }

        @Override
        public Optional<WriteOutcome> outcome(StatementResult result) {
            return switch (result) {
                case StatementResult.Done() -> Optional.of(new Changed());
                case StatementResult.Upserted() -> Optional.of(new Created());
                case StatementResult.NoMatch() ->
                    target.isUnconditional() ? Optional.of(new Missing()) : Optional.empty();
                case StatementResult.Failed(var reason) -> {
                    if (!DuplicateKeys.isOne(reason.getError())) {
                        throw reason;
                    }
                    yield DuplicateKeys.isOfId(reason.getError())
                            ? Optional.empty()
                            : Optional.of(new Duplicate(reason.getError().getMessage()));
                }
            };
        }

        @Override
        public WriteOutcome explained(StatementResult result) {
            return target.write(
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

    record Removal(TargetDocument target, Optional<BsonDocument> statement) implements PreparedWrite<DeleteOutcome> {
        @Override
        public DeleteOutcome alone() {
            return target.delete(target::deleteOnce);
        }

        @Override
        public Optional<DeleteOutcome> outcome(StatementResult result) {
            return isDone(result)
                    ? Optional.of(new Deleted())
                    : target.isUnconditional() ? Optional.of(new Missing()) : Optional.empty();
        }

        @Override
        public DeleteOutcome explained(StatementResult result) {
            return target.delete(() -> isDone(result));
        }

        private static boolean isDone(StatementResult result) {
            return switch (result) {
                case StatementResult.Done() -> true;
                case StatementResult.NoMatch() -> false;
                case StatementResult.Failed(var reason) -> throw reason;
                case StatementResult.Upserted() -> throw new IllegalStateException("a removal that created");
            };
        }
    }
}
