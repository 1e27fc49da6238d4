package org.restheart.mongo.write;

import static com.mongodb.client.model.Projections.include;

import com.mongodb.MongoWriteException;
import com.mongodb.ReadPreference;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.DeleteOptions;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.result.UpdateResult;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.Update;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.exchange.EntityTags;
import org.restheart.mongo.find.HarmlessFilter;
import org.restheart.mongo.parameter.WriteMode;
import org.restheart.mongo.write.WriteOutcome.Changed;
import org.restheart.mongo.write.WriteOutcome.Created;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome.Deleted;
import org.restheart.mongo.write.WriteOutcome.Duplicate;
import org.restheart.mongo.write.WriteOutcome.Missing;

/// The target document of a write, whether it exists or not. Each method is one atomic operation whose filter
/// contains the precondition; only when nothing matched, another read determines why. Confined to one request.
public final class TargetDocument {
    /// A write is retried when the document changed between it and the read that determines why it failed.
    private static final int MAX_ATTEMPTS = 10;

    private static final BsonDocument BY_ID = new BsonDocument("_id", new BsonInt32(1));

    private final SessionCollection collection;
    private final BsonValue id;
    private final BsonDocument others;
    private final Precondition precondition;
    private final boolean file;

    /// @param others further conditions: the client's filter, the shard key, the access rule's filter; may be
    ///     empty
    public TargetDocument(SessionCollection collection, BsonValue id, BsonDocument others, Precondition precondition) {
        this(collection, id, others, precondition, false);
    }

    /// The document of a file, whose tag is in its metadata.
    public static TargetDocument file(
            SessionCollection collection, BsonValue id, BsonDocument others, Precondition precondition) {
        return new TargetDocument(collection, id, others, precondition, true);
    }

    private TargetDocument(
            SessionCollection collection, BsonValue id, BsonDocument others, Precondition precondition, boolean file) {
        this.file = file;
        this.collection = acknowledged(collection);
        this.id = id;
        this.others = others;
        this.precondition = precondition;
    }

    /// Without further conditions.
    public TargetDocument(MongoCollection<RawBsonDocument> collection, BsonValue id, Precondition precondition) {
        this(new SessionCollection(collection, Optional.empty()), id, new BsonDocument(), precondition);
    }

    /// With an acknowledged write concern, since the response depends on the outcome.
    private static SessionCollection acknowledged(SessionCollection collection) {
        return collection.writeConcern().isAcknowledged() ? collection : collection.with(BoundedConcern.ACKNOWLEDGED);
    }

    SessionCollection collection() {
        return collection;
    }

    BsonValue id() {
        return id;
    }

    /// Whether there is no precondition, so that a document that does not match is missing.
    boolean isUnconditional() {
        return precondition instanceof Precondition.None;
    }

    /// Replaces the target by `document`.
    ///
    /// @param document with its `_id`
    /// @throws com.mongodb.MongoException for every failure but a duplicate key
    public WriteOutcome replace(RawBsonDocument document, WriteMode mode) {
        return replacing(document, mode).alone();
    }

    /// [#replace(RawBsonDocument, WriteMode)] as a prepared write.
    public DocumentWrite<WriteOutcome> replacing(RawBsonDocument document, WriteMode mode) {
        if (mode == WriteMode.INSERT) {
            return new PreparedWrite.Change(this, mode, Optional.empty(), () -> {
                collection.insertOne(document);
                return Optional.of(new Created());
            });
        }
        var options = new ReplaceOptions().upsert(mode == WriteMode.UPSERT).hint(hint());
        return new PreparedWrite.Change(
                this,
                mode,
                shared(() -> statement(document, mode, filter())),
                () -> outcome(collection.replaceOne(filter(), document, options)));
    }

    /// As [#replace(RawBsonDocument, WriteMode)], in a transaction that does something else too.
    ///
    /// @param mode not `UPDATE`
    /// @param also may be called several times
    public WriteOutcome replace(
            RawBsonDocument document, WriteMode mode, MongoClient client, Consumer<ClientSession> also) {
        return write(
                mode,
                () -> Transaction.run(client, collection.writeConcern(), session -> {
                    if (mode == WriteMode.INSERT) {
                        collection.in(session).insertOne(document);
                        also.accept(session);
                        return Optional.of(new Created());
                    }
                    var replaced = outcome(collection
                            .in(session)
                            .replaceOne(
                                    filter(),
                                    document,
                                    new ReplaceOptions().upsert(true).hint(hint())));
                    also.accept(session);
                    return replaced;
                }));
    }

    /// Determines whether the document may be written, without writing it.
    ///
    /// @return [Missing] if it does not exist, [Changed] if it may be written
    public WriteOutcome foresee() {
        var found = read(found());
        if (found.isPresent()) {
            return refusal(found.get()).orElseGet(Changed::new);
        }
        return read(Ids.equal(id)).isPresent()
                ? new Duplicate("E11000 duplicate key error: the id is taken")
                : new Missing();
    }

    /// Updates the target; in the modes that create, updates an empty document.
    ///
    /// @throws com.mongodb.MongoException for every failure but a duplicate key
    public WriteOutcome update(Update update, WriteMode mode) {
        return updating(update, mode).alone();
    }

    /// [#update(Update, WriteMode)] as a prepared write.
    public DocumentWrite<WriteOutcome> updating(Update update, WriteMode mode) {
        var filter = mode == WriteMode.INSERT ? nothing() : filter();
        var options = new UpdateOptions().upsert(mode != WriteMode.UPDATE).hint(hint());
        return switch (kept(update, mode)) {
            case Update.Operators(var document) ->
                new PreparedWrite.Change(
                        this,
                        mode,
                        ShortUpdate.is(document) ? shared(() -> statement(document, mode, filter)) : Optional.empty(),
                        () -> outcome(collection.updateOne(filter, document, options)));
            case Update.Pipeline(var stages) ->
                new PreparedWrite.Change(
                        this, mode, Optional.empty(), () -> outcome(collection.updateOne(filter, stages, options)));
        };
    }

    private static BsonDocument statement(BsonDocument change, WriteMode mode, BsonDocument filter) {
        var statement = new BsonDocument("q", filter).append("u", change);
        return mode == WriteMode.UPDATE ? statement : statement.append("upsert", BsonBoolean.TRUE);
    }

    /// The statement, if it takes so little time that others may wait for it: without filters that can take
    /// long.
    private Optional<BsonDocument> shared(Supplier<BsonDocument> statement) {
        return collection.inSession() || file || !HarmlessFilter.is(others)
                ? Optional.empty()
                : Optional.of(statement.get());
    }

    /// As [#update(Update, WriteMode)], but in a transaction that is aborted when `check` throws.
    ///
    /// @param check receives the document as it would be stored; may be called several times
    public WriteOutcome update(Update update, WriteMode mode, MongoClient client, Consumer<RawBsonDocument> check) {
        var filter = mode == WriteMode.INSERT ? nothing() : filter();
        var options = new UpdateOptions().upsert(mode != WriteMode.UPDATE).hint(hint());
        var begun = collection.transaction();
        if (begun.isPresent()) {
            return write(mode, () -> {
                try {
                    return checked(collection, kept(update, mode), filter, options, check);
                } catch (ProblemException e) { // a single statement cannot be undone
                    begun.get().abortTransaction();
                    throw e;
                }
            });
        }
        return write(
                mode,
                () -> Transaction.run(
                        client,
                        collection.writeConcern(),
                        session -> checked(collection.in(session), kept(update, mode), filter, options, check)));
    }

    private Update kept(Update update, WriteMode mode) {
        return mode == WriteMode.INSERT || (mode == WriteMode.UPSERT && !others.isEmpty())
                ? Ids.kept(update, id)
                : update;
    }

    private Optional<WriteOutcome> checked(
            SessionCollection inTransaction,
            Update update,
            BsonDocument filter,
            UpdateOptions options,
            Consumer<RawBsonDocument> check) {
        var outcome = outcome(
                switch (update) {
                    case Update.Operators(var document) -> inTransaction.updateOne(filter, document, options);
                    case Update.Pipeline(var stages) -> inTransaction.updateOne(filter, stages, options);
                });
        if (outcome.isPresent()) {
            check.accept(
                    Objects.requireNonNull(inTransaction.find(Ids.equal(id)).first()));
        }
        return outcome;
    }

    public DeleteOutcome delete() {
        return deleting().alone();
    }

    /// [#delete()] as a prepared write.
    public DocumentWrite<DeleteOutcome> deleting() {
        return new PreparedWrite.Removal(
                this, shared(() -> new BsonDocument("q", filter()).append("limit", new BsonInt32(1))));
    }

    /// @param first the result of the first attempt
    DeleteOutcome delete(BooleanSupplier first) {
        boolean deleted = first.getAsBoolean();
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            if (deleted) {
                return new Deleted();
            }
            var found = read(found());
            if (found.isEmpty()) {
                return new Missing();
            }
            var refused = precondition.refusal(tag(found.get()));
            if (refused.isPresent()) {
                return refused.get();
            }
            deleted = deleteOnce();
        }
        throw changesTooOften();
    }

    boolean deleteOnce() {
        return collection.deleteOne(filter(), new DeleteOptions().hint(hint())).getDeletedCount() > 0;
    }

    @FunctionalInterface
    interface Attempt {
        /// Empty if nothing matched.
        Optional<WriteOutcome> run();
    }

    private static Optional<WriteOutcome> outcome(UpdateResult result) {
        if (result.getUpsertedId() != null) {
            return Optional.of(new Created());
        }
        return result.getMatchedCount() > 0 ? Optional.of(new Changed()) : Optional.empty();
    }

    private WriteOutcome write(WriteMode mode, Attempt attempt) {
        return write(mode, attempt, attempt);
    }

    /// @param first the first attempt
    /// @param others every further attempt
    WriteOutcome write(WriteMode mode, Attempt first, Attempt others) {
        for (int i = 0; i < MAX_ATTEMPTS; i++) {
            Optional<WriteOutcome> outcome;
            try {
                outcome = (i == 0 ? first : others).run().or(this::whyNoMatch);
            } catch (MongoWriteException e) {
                if (!DuplicateKeys.isOne(e.getError())) {
                    throw e;
                }
                outcome = DuplicateKeys.isOfId(e.getError())
                        ? whyDuplicate(mode, e.getError().getMessage())
                        : Optional.of(new Duplicate(e.getError().getMessage()));
            }
            if (outcome.isPresent()) {
                return outcome.get();
            }
        }
        throw changesTooOften();
    }

    /// Empty when the document was changed in the meantime so that the write would match.
    private Optional<WriteOutcome> whyNoMatch() {
        if (isUnconditional()) {
            return Optional.of(new Missing());
        }
        var found = read(found());
        return found.isEmpty() ? Optional.of(new Missing()) : refusal(found.get());
    }

    /// The outcome for an existing id. Empty when it was inserted concurrently, so that the next attempt determines
    /// the outcome.
    private Optional<WriteOutcome> whyDuplicate(WriteMode mode, String message) {
        var duplicate = Optional.<WriteOutcome>of(new Duplicate(message));
        if (collection.transaction().isPresent()) { // the transaction has been aborted, so it allows no further read
            return duplicate;
        }
        if (mode == WriteMode.INSERT) {
            var found = read(found());
            if (found.isPresent()) {
                return refusal(found.get()).or(() -> duplicate);
            }
            return read(Ids.equal(id)).flatMap(_ -> duplicate); // only that the id exists
        }
        var matching = read(found());
        if (matching.isPresent()) {
            return refusal(matching.get());
        }
        return !others.isEmpty() && read(Ids.equal(id)).isPresent() ? duplicate : Optional.empty();
    }

    private Optional<WriteOutcome> refusal(BsonDocument found) {
        return precondition.refusal(tag(found)).map(refused -> refused);
    }

    private String tagField() {
        return file ? "metadata." + EntityTags.FIELD : EntityTags.FIELD;
    }

    private Optional<String> tag(BsonDocument found) {
        return EntityTags.of(file ? EntityTags.holderInFile(found) : found);
    }

    /// A rule may be about paths: a filter that can fail must not be evaluated on other documents, whatever index it
    /// could use.
    private @Nullable BsonDocument hint() {
        return HarmlessFilter.is(others) ? null : BY_ID;
    }

    /// Reads from the primary, which the write was sent to.
    private Optional<RawBsonDocument> read(BsonDocument filter) {
        return Optional.ofNullable(collection
                .with(ReadPreference.primary())
                .find(filter)
                .hint(hint())
                .projection(include(tagField()))
                .first());
    }

    private BsonDocument found() {
        var found = Ids.equal(id);
        return others.isEmpty() ? found : found.append("$and", new BsonArray(List.of(others)));
    }

    private BsonDocument filter() {
        var filter = found();
        precondition.condition().ifPresent(condition -> filter.append(tagField(), condition));
        return filter;
    }

    /// Matches no document, but sets the id of an upserted one.
    private BsonDocument nothing() {
        return Ids.equal(id).append(EntityTags.FIELD, new BsonDocument("$in", new BsonArray()));
    }

    private static ProblemException changesTooOften() {
        return Problem.of(ProblemCode.CONFLICT, "the document changes too often; try again")
                .raise();
    }
}
