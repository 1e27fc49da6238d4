package org.restheart.mongo.write;

import com.mongodb.MongoNamespace;
import com.mongodb.MongoWriteException;
import com.mongodb.WriteConcern;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.parameter.Parameters.WriteMode;
import org.restheart.mongo.write.WriteOutcome.Changed;
import org.restheart.mongo.write.WriteOutcome.Created;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome.Deleted;
import org.restheart.mongo.write.WriteOutcome.Duplicate;
import org.restheart.mongo.write.WriteOutcome.Missing;

/// A prepared write of one document by its id: sent separately, or as one statement of a shared command. Exactly one
/// of [#uncoalesced()] and the statement is executed. Used by one thread at a time.
///
/// @param <O> the outcome
public abstract sealed class DocumentWrite<O> {
    private static final int MAX_ATTEMPTS = 10;

    final DocumentCondition condition;
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

    /// Executes it separately, once; blocks for MongoDB. When nothing matched, another read determines why; when the
    /// document changed between the two so that the write would match now, it is repeated.
    ///
    /// @throws com.mongodb.MongoException if MongoDB refuses it or its outcome is unknown
    public abstract O uncoalesced();

    /// The outcome of the statement's result, if no further query is needed.
    ///
    /// @throws com.mongodb.MongoWriteException if MongoDB refused it
    public abstract Optional<O> outcome(StatementResult result);

    /// The same with a query for why the statement did nothing; retries if the reason no longer applies. Blocks for
    /// MongoDB.
    ///
    /// @throws com.mongodb.MongoException as [#uncoalesced()]
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
        private final Supplier<Optional<WriteOutcome>> attempt;

        /// @param attempt executes it separately; empty if nothing matched
        Change(
                DocumentCondition condition,
                WriteMode mode,
                Optional<BsonDocument> statement,
                Supplier<Optional<WriteOutcome>> attempt) {
            super(condition, statement);
            this.mode = mode;
            this.attempt = attempt;
        }

        @Override
        public WriteOutcome uncoalesced() {
            return run(attempt);
        }

        @Override
        public Optional<WriteOutcome> outcome(StatementResult result) {
            return switch (result) {
                case StatementResult.Done() -> Optional.of(new Changed());
                case StatementResult.Upserted() -> Optional.of(new Created());
                case StatementResult.NoMatch() ->
                    condition.hasNoPrecondition() ? Optional.of(new Missing()) : Optional.empty();
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
            return run(() -> {
                if (result instanceof StatementResult.Failed(var reason)) {
                    throw reason;
                }
                return Optional.empty();
            });
        }

        private WriteOutcome run(Supplier<Optional<WriteOutcome>> first) {
            for (int i = 0; i < MAX_ATTEMPTS; i++) {
                Optional<WriteOutcome> outcome;
                try {
                    outcome = (i == 0 ? first : attempt).get().or(this::whyNoMatch);
                } catch (MongoWriteException e) {
                    if (!MongoCodes.isDuplicateKey(e.getError())) {
                        throw e;
                    }
                    outcome = MongoCodes.isDuplicateId(e.getError())
                            ? whyDuplicate(e.getError().getMessage())
                            : Optional.of(new Duplicate(e.getError().getMessage()));
                }
                if (outcome.isPresent()) {
                    return outcome.get();
                }
            }
            throw Transaction.changesTooOften();
        }

        /// Empty when the document was changed in the meantime so that the write would match.
        private Optional<WriteOutcome> whyNoMatch() {
            var found = condition.hasNoPrecondition() ? Optional.<RawBsonDocument>empty() : condition.find();
            if (found.isEmpty()) {
                return Optional.of(condition.missing(mode));
            }
            return mode == WriteMode.INSERT && condition.precondition().requiresExistence()
                    ? Optional.of(TargetDocument.taken())
                    : condition.refusal(found.get()).map(refused -> refused);
        }

        /// The outcome for an existing id. Empty when it was inserted concurrently, so that the next attempt determines
        /// the outcome.
        private Optional<WriteOutcome> whyDuplicate(String message) {
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
            boolean looksFurther =
                    mode == WriteMode.INSERT || !condition.others().isEmpty();
            return looksFurther && condition.idExists() ? duplicate : Optional.empty();
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
        public DeleteOutcome uncoalesced() {
            return run(attempt);
        }

        @Override
        public Optional<DeleteOutcome> outcome(StatementResult result) {
            return isDone(result)
                    ? Optional.of(new Deleted())
                    : condition.hasNoPrecondition() ? Optional.of(new Missing()) : Optional.empty();
        }

        @Override
        public DeleteOutcome explained(StatementResult result) {
            return run(() -> isDone(result));
        }

        private DeleteOutcome run(BooleanSupplier first) {
            boolean deleted = first.getAsBoolean();
            for (int i = 0; i < MAX_ATTEMPTS; i++) {
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
                deleted = attempt.getAsBoolean();
            }
            throw Transaction.changesTooOften();
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
