package org.restheart.mongo.write;

import com.mongodb.MongoNamespace;
import com.mongodb.MongoWriteException;
import com.mongodb.WriteConcern;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.parameter.Parameters.WriteMode;
import org.restheart.mongo.write.WriteOutcome.Changed;
import org.restheart.mongo.write.WriteOutcome.Created;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome.Deleted;
import org.restheart.mongo.write.WriteOutcome.Duplicate;
import org.restheart.mongo.write.WriteOutcome.Missing;

/// A prepared write of one document by its id: sent separately, or as one statement of a shared command. Exactly one
/// of [#alone()] and the statement is executed. Used by one thread at a time.
///
/// @param <O> the outcome
public abstract sealed class DocumentWrite<O> {
    private final DocumentCondition condition;
    private final Optional<BsonDocument> statement;

    DocumentWrite(DocumentCondition condition, Optional<BsonDocument> statement) {
        this.condition = condition;
        this.statement = statement;
    }

    public MongoNamespace namespace() {
        return condition.collection().namespace();
    }

    public BsonValue id() {
        return condition.id();
    }

    /// Acknowledged.
    public WriteConcern writeConcern() {
        return condition.collection().writeConcern();
    }

    /// An element of `updates` or `deletes`. Empty for a write that must be sent separately: it is part of a
    /// session, or its duration or failure depends on more than a few comparisons.
    public Optional<BsonDocument> statement() {
        return statement;
    }

    WriteAttempts attempts() {
        return new WriteAttempts(condition);
    }

    boolean isUnconditional() {
        return condition.isUnconditional();
    }

    /// Executes it separately, once; blocks for MongoDB.
    ///
    /// @throws com.mongodb.MongoException if MongoDB refuses it or its outcome is unknown
    public abstract O alone();

    /// The outcome of the statement's result, if no further query is needed.
    ///
    /// @throws com.mongodb.MongoWriteException if MongoDB refused it
    public abstract Optional<O> outcome(StatementResult result);

    /// The same with a query for why the statement did nothing; retries if the reason no longer applies. Blocks for
    /// MongoDB.
    ///
    /// @throws com.mongodb.MongoException as [#alone()]
    public abstract O explained(StatementResult result);

    /// The result of one statement of an `update` or `delete` command.
    public sealed interface StatementResult {
        /// It changed, replaced or removed the document.
        record Done() implements StatementResult {}

        /// It created the document.
        record Upserted() implements StatementResult {}

        /// It did nothing: no document matched.
        record NoMatch() implements StatementResult {}

        /// It did nothing: MongoDB refused it.
        record Failed(MongoWriteException reason) implements StatementResult {}
    }

    /// A replacement or an update.
    static final class Change extends DocumentWrite<WriteOutcome> {
        private final WriteMode mode;
        private final WriteAttempts.Attempt attempt;

        /// @param attempt executes it separately
        Change(
                DocumentCondition condition,
                WriteMode mode,
                Optional<BsonDocument> statement,
                WriteAttempts.Attempt attempt) {
            super(condition, statement);
            this.mode = mode;
            this.attempt = attempt;
        }

        @Override
        public WriteOutcome alone() {
            return attempts().write(mode, attempt, attempt);
        }

        @Override
        public Optional<WriteOutcome> outcome(StatementResult result) {
            return switch (result) {
                case StatementResult.Done() -> Optional.of(new Changed());
                case StatementResult.Upserted() -> Optional.of(new Created());
                case StatementResult.NoMatch() -> isUnconditional() ? Optional.of(new Missing()) : Optional.empty();
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
            return attempts()
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

    static final class Removal extends DocumentWrite<DeleteOutcome> {
        private final BooleanSupplier attempt;

        /// @param attempt deletes the document separately; false if nothing matched
        Removal(DocumentCondition condition, Optional<BsonDocument> statement, BooleanSupplier attempt) {
            super(condition, statement);
            this.attempt = attempt;
        }

        @Override
        public DeleteOutcome alone() {
            return attempts().delete(attempt, attempt);
        }

        @Override
        public Optional<DeleteOutcome> outcome(StatementResult result) {
            return isDone(result)
                    ? Optional.of(new Deleted())
                    : isUnconditional() ? Optional.of(new Missing()) : Optional.empty();
        }

        @Override
        public DeleteOutcome explained(StatementResult result) {
            return attempts().delete(() -> isDone(result), attempt);
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
