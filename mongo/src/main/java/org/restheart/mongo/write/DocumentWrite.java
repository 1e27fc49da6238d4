package org.restheart.mongo.write;

import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.MongoWriteException;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.DeleteOptions;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.result.UpdateResult;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.Update;
import org.restheart.http.ProblemException;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.write.DocumentWrite.Judge;
import org.restheart.mongo.write.WriteOutcome.Changed;
import org.restheart.mongo.write.WriteOutcome.Created;
import org.restheart.mongo.write.WriteOutcome.Deleted;
import org.restheart.mongo.write.WriteOutcome.Duplicate;
import org.restheart.mongo.write.WriteOutcome.Missing;
import org.restheart.mongo.write.WriteOutcome.Refused;
import org.restheart.text.Words;

/// A prepared write of one document by its id: sent separately, or as one statement of a shared command.
/// Exactly one of [#alone()] and the statement is executed. Used by one thread at a time.
///
/// @param judge decides about the document as it would be stored; empty if it is stored in any case
public record DocumentWrite(TargetDocument target, Change change, WriteMode mode, Optional<Judge> judge) {
    private static final int MAX_ATTEMPTS = 10;

    DocumentWrite(TargetDocument target, Change change, WriteMode mode) {
        this(target, change, mode, Optional.empty());
    }

    /// What the write does to the document.
    public sealed interface Change {
        /// @param document with its `_id`
        record Replacement(RawBsonDocument document) implements Change {}

        record Fields(Update update) implements Change {}

        record Removal() implements Change {}
    }

    /// @param client for transactions, in which the document is changed and read before anybody can see it
    /// @param check throws for a document that must not be stored; may be called several times
    public record Judge(MongoClient client, Consumer<RawBsonDocument> check) {}

    /// The same, but nothing is stored that `judge` refuses.
    public DocumentWrite judgedBy(Optional<Judge> judge) {
        return new DocumentWrite(target, change, mode, judge);
    }

    public MongoNamespace namespace() {
        return target.collection().namespace();
    }

    /// Acknowledged.
    public WriteConcern writeConcern() {
        return target.collection().writeConcern();
    }

    /// An element of `updates` or `deletes`. Empty for a write that must be sent separately: it is part of a
    /// session, its result is judged, or its duration or failure depends on more than a few comparisons.
    /// What it stores must have been judged before ([#judgeKnown()]).
    public Optional<BsonDocument> statement() {
        if (!target.mayShareCommand()) {
            return Optional.empty();
        }
        var sent = target.sent(mode);
        return switch (change) {
            case Change.Replacement(var document) ->
                sent == WriteMode.INSERT ? Optional.empty() : Optional.of(statement(document, sent));
            case Change.Fields(Update.Operators(var operators, var arrayFilters))
            when judge.isEmpty() && arrayFilters.isEmpty() && ShortUpdate.is(operators) ->
                Optional.of(statement(operators, sent));
            case Change.Fields _ -> Optional.empty();
            case Change.Removal() ->
                Optional.of(new BsonDocument("q", target.filter(mode)).append("limit", new BsonInt32(1)));
        };
    }

    private BsonDocument statement(BsonDocument change, WriteMode sent) {
        var statement = new BsonDocument("q", target.filter(mode)).append("u", change);
        return sent == WriteMode.UPDATE ? statement : statement.append("upsert", BsonBoolean.TRUE);
    }

    /// Judges what it stores, if that is known before. Blocks for MongoDB.
    public void judgeKnown() {
        if (change instanceof Change.Replacement(var document)) {
            judge.ifPresent(asked -> asked.check().accept(document));
        }
    }

    /// Executes it separately, once; blocks for MongoDB. When nothing matched, another read determines why;
    /// when the document changed between the two so that the write would match now, it is repeated.
    ///
    /// @throws com.mongodb.MongoException if MongoDB refuses it or its outcome is unknown
    public WriteOutcome alone() {
        judgeKnown();
        return run(this::attempt, this::attempt);
    }

    private Optional<WriteOutcome> attempt() {
        boolean endsByTakenId = target.collection().transaction().isPresent() && target.sent(mode) != WriteMode.UPDATE;
        var refused = endsByTakenId && !target.hasNoPrecondition()
                ? target.find().flatMap(target::refusal)
                : Optional.<Refused>empty();
        if (refused.isPresent()) {
            return refused.map(outcome -> outcome);
        }
        return judge.isPresent() && change instanceof Change.Fields
                ? new CheckedUpdate(this, judge.get()).run()
                : in(target.collection());
    }

    /// As [#alone()], in a transaction that does something else too.
    ///
    /// @param also gets whether the document is created or changed; may be called several times
    public WriteOutcome together(MongoClient client, BiConsumer<ClientSession, WriteOutcome> also) {
        var collection = target.collection();
        Supplier<Optional<WriteOutcome>> attempt = () -> Transaction.run(client, collection.writeConcern(), session -> {
            var written = in(collection.in(session));
            written.ifPresent(outcome -> also.accept(session, outcome));
            return written;
        });
        return run(attempt, attempt);
    }

    /// Executes it once, in its collection or in one with copies, unjudged.
    ///
    /// @return empty if nothing matched
    Optional<WriteOutcome> in(SessionCollection collection) {
        var sent = target.sent(mode);
        var filter = target.filter(mode);
        var options = new UpdateOptions().upsert(sent != WriteMode.UPDATE).hint(target.hint());
        return switch (change) {
            case Change.Replacement(var document)
            when sent == WriteMode.INSERT -> {
                collection.insertOne(document);
                yield Optional.of(new Created());
            }
            case Change.Replacement(var document) ->
                outcome(collection.replaceOne(
                        filter,
                        document,
                        new ReplaceOptions().upsert(sent == WriteMode.UPSERT).hint(target.hint())));
            case Change.Fields(Update.Operators(var document, var arrayFilters)) ->
                outcome(collection.updateOne(
                        filter, document, arrayFilters.isEmpty() ? options : options.arrayFilters(arrayFilters)));
            case Change.Fields(Update.Pipeline(var stages)) -> outcome(collection.updateOne(filter, stages, options));
            case Change.Removal() ->
                collection
                                        .deleteOne(filter, new DeleteOptions().hint(target.hint()))
                                        .getDeletedCount()
                                > 0
                        ? Optional.of(new Deleted())
                        : Optional.empty();
        };
    }

    private static Optional<WriteOutcome> outcome(UpdateResult result) {
        if (result.getUpsertedId() != null) {
            return Optional.of(new Created());
        }
        return result.getMatchedCount() > 0 ? Optional.of(new Changed()) : Optional.empty();
    }

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

    /// The outcome of the statement's result, if no further query is needed.
    ///
    /// @throws com.mongodb.MongoWriteException if MongoDB refused it
    public Optional<WriteOutcome> outcome(StatementResult result) {
        return switch (result) {
            case StatementResult.Done() ->
                Optional.of(change instanceof Change.Removal ? new Deleted() : new Changed());
            case StatementResult.Upserted() -> Optional.of(new Created());
            case StatementResult.NoMatch() ->
                target.hasNoPrecondition() ? Optional.of(new Missing()) : Optional.empty();
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

    /// The same with a query for why the statement did nothing; retries if the reason no longer applies.
    /// Blocks for MongoDB.
    ///
    /// @throws com.mongodb.MongoException as [#alone()]
    public WriteOutcome explained(StatementResult result) {
        return run(
                () -> {
                    if (result instanceof StatementResult.Failed(var reason)) {
                        throw reason;
                    }
                    return Optional.empty();
                },
                this::attempt);
    }

    private WriteOutcome run(Supplier<Optional<WriteOutcome>> first, Supplier<Optional<WriteOutcome>> others) {
        for (int i = 0; i < MAX_ATTEMPTS; i++) {
            Optional<WriteOutcome> outcome;
            try {
                outcome = (i == 0 ? first : others).get().or(this::whyNoMatch);
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
        var found = target.hasNoPrecondition() ? Optional.<RawBsonDocument>empty() : target.find();
        if (found.isEmpty()) {
            return Optional.of(target.missing(mode));
        }
        return mode == WriteMode.INSERT && target.precondition().requiresExistence()
                ? Optional.of(TargetDocument.taken())
                : target.refusal(found.get()).map(refused -> refused);
    }

    /// The outcome for an existing id. Empty when it was inserted concurrently, so that the next attempt
    /// determines the outcome.
    private Optional<WriteOutcome> whyDuplicate(String message) {
        var duplicate = Optional.<WriteOutcome>of(new Duplicate(message));
        if (target.collection().transaction().isPresent()) { // which has ended
            return duplicate;
        }
        var found = target.find();
        if (found.isPresent()) {
            var refused = target.refusal(found.get()).<WriteOutcome>map(refusal -> refusal);
            return mode == WriteMode.INSERT ? refused.or(() -> duplicate) : refused;
        }
        // A document that does not meet the further conditions: only that its id exists may be told.
        boolean looksFurther = mode == WriteMode.INSERT || !target.others().isEmpty();
        return looksFurther && target.idExists() ? duplicate : Optional.empty();
    }

    /// Recognizes updates that take not much longer than reading and writing the document, so that others
    /// may wait for them. Unknown operators are not short.
    private static final class ShortUpdate {
        /// Each of them is compared with all fields of the document: 100 take half a second in one of 16 MiB.
        private static final int MOST_PATHS = 100;

        private static final Set<String> OPERATORS = Words.of("""
            $set $unset $inc $mul $min $max $rename $setOnInsert $currentDate $push $addToSet $pop $bit
            """);

        private ShortUpdate() {}

        static boolean is(BsonDocument operators) {
            int paths = 0;
            for (var operator : operators.entrySet()) {
                if (!OPERATORS.contains(operator.getKey())
                        || !operator.getValue().isDocument()) {
                    return false;
                }
                var changes = operator.getValue().asDocument();
                paths += changes.size();
                if (changes.keySet().stream().anyMatch(path -> path.contains("$["))
                        || changes.values().stream().anyMatch(value -> isLong(operator.getKey(), value))) {
                    return false;
                }
            }
            return paths <= MOST_PATHS;
        }

        /// Many values of `$addToSet` are compared with each element, and elements that are sorted with each
        /// other.
        private static boolean isLong(String operator, BsonValue value) {
            return value.isDocument()
                    && switch (operator) {
                        case "$addToSet" -> value.asDocument().containsKey("$each");
                        case "$push" -> value.asDocument().containsKey("$sort");
                        default -> false;
                    };
        }
    }

    /// An update of one document that is checked as it would be stored before anybody can see it: in a
    /// transaction, or on a copy where that is impossible. A transaction of the client never holds what is
    /// not checked: another request could commit it before the check has ended. Confined to one request.
    record CheckedUpdate(DocumentWrite write, Judge judge) {

        /// @return empty if nothing matched
        Optional<WriteOutcome> run() {
            var collection = write.target().collection();
            if (collection.rehearses()) { // nobody can commit it
                return within(collection);
            }
            var begun = collection.transaction();
            if (begun.isPresent()) {
                try {
                    var outcome = afterDryRun();
                    if (outcome.filter(Duplicate.class::isInstance).isPresent()) {
                        Transaction.abort(begun.get());
                    }
                    return outcome;
                } catch (ProblemException | MongoException e) {
                    Transaction.abort(begun.get());
                    throw e;
                }
            }
            return Transaction.isSupported(judge.client())
                    ? Transaction.run(
                            judge.client(), collection.writeConcern(), session -> within(collection.in(session)))
                    : afterDryRun();
        }

        private Optional<WriteOutcome> within(SessionCollection transaction) {
            var outcome = write.in(transaction);
            if (outcome.isPresent()) {
                judge.check()
                        .accept(Objects.requireNonNull(
                                transaction.find(Ids.equal(write.target().id())).first()));
            }
            return outcome;
        }

        private Optional<WriteOutcome> afterDryRun() {
            var sent = write.target().sent(write.mode());
            try (var dryRun =
                    DryRun.open(judge.client(), write.target().collection().namespace())) {
                var outcome = DryRun.untilUnchanged(
                        () -> sent == WriteMode.INSERT ? created(dryRun, sent) : changedOrCreated(dryRun, sent));
                return Optional.of(outcome).filter(known -> !(known instanceof Missing));
            }
        }

        /// Empty if the document has changed meanwhile.
        private Optional<WriteOutcome> changedOrCreated(DryRun dryRun, WriteMode sent) {
            var target = write.target();
            var collection = target.collection();
            var stored = collection
                    .with(ReadPreference.primary())
                    .find(target.filter(write.mode()))
                    .hint(target.hint())
                    .first();
            if (stored == null) {
                return sent == WriteMode.UPDATE ? Optional.of(new Missing()) : created(dryRun, sent);
            }
            var result = result(dryRun, stored);
            judge.check().accept(result);
            var unchanged =
                    DryRun.unchanged(stored, result, collection.transaction().isPresent());
            var replaced = collection.replaceOne(unchanged, result, DryRun.OF_UNCHANGED);
            return replaced.getMatchedCount() > 0 ? Optional.of(new Changed()) : Optional.empty();
        }

        /// Empty if the document came meanwhile.
        private Optional<WriteOutcome> created(DryRun dryRun, WriteMode sent) {
            var expected = write.target().preview(); // whether the id is taken comes before what the document would be
            if (expected instanceof Changed && sent == WriteMode.UPSERT) {
                return Optional.empty();
            }
            if (!(expected instanceof Missing)) {
                return Optional.of(expected instanceof Changed ? TargetDocument.taken() : expected);
            }
            var result = result(dryRun, null);
            judge.check().accept(result);
            write.target().collection().insertOne(result);
            return Optional.of(new Created());
        }

        private RawBsonDocument result(DryRun dryRun, @Nullable RawBsonDocument stored) {
            return dryRun.result(
                    stored,
                    write.target().id(),
                    copies -> write.in(copies.inSession()).isPresent());
        }
    }
}
