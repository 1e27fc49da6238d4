package org.restheart.mongo.write;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.DeleteOptions;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.result.UpdateResult;
import java.util.List;
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
import org.restheart.bson.fields.Update;
import org.restheart.http.Words;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.mongo.parameter.Parameters.WriteMode;
import org.restheart.mongo.write.WriteOutcome.Changed;
import org.restheart.mongo.write.WriteOutcome.Created;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome;
import org.restheart.mongo.write.WriteOutcome.Duplicate;
import org.restheart.mongo.write.WriteOutcome.Missing;

/// The target document of a write, whether it exists or not. Each method is one atomic operation whose filter
/// contains the precondition. Confined to one request.
public final class TargetDocument {
    private final DocumentCondition condition;

    /// @param others further conditions: the client's filter, the shard key, the access rule's filter; may be
    ///     empty
    public TargetDocument(SessionCollection collection, BsonValue id, BsonDocument others, Precondition precondition) {
        this(new DocumentCondition(collection.acknowledged(), id, others, precondition, false));
    }

    /// Without further conditions.
    public TargetDocument(MongoCollection<RawBsonDocument> collection, BsonValue id, Precondition precondition) {
        this(new SessionCollection(collection, Optional.empty()), id, new BsonDocument(), precondition);
    }

    /// The document of a file, whose tag is in its metadata.
    ///
    /// @param others any may be empty
    public static TargetDocument file(
            SessionCollection collection, BsonValue id, List<BsonDocument> others, Precondition precondition) {
        var conditions = others.stream().filter(other -> !other.isEmpty()).toList();
        return new TargetDocument(
                new DocumentCondition(collection.acknowledged(), id, StagedFilter.all(conditions), precondition, true));
    }

    private TargetDocument(DocumentCondition condition) {
        this.condition = condition;
    }

    /// Replaces the target by `document`.
    ///
    /// @param document with its `_id`
    public DocumentWrite<WriteOutcome> replacing(RawBsonDocument document, WriteMode mode) {
        var sent = condition.sent(mode);
        var statement = sent == WriteMode.INSERT
                ? Optional.<BsonDocument>empty()
                : shared(() -> statement(document, sent, filter(mode)));
        return new DocumentWrite.Change(
                condition, mode, statement, () -> replaceIn(condition.collection(), document, mode));
    }

    /// As [#replacing], in a transaction that does something else too.
    ///
    /// @param mode not `UPDATE`
    /// @param also gets whether the document is created or changed; may be called several times
    public WriteOutcome replace(
            RawBsonDocument document,
            WriteMode mode,
            MongoClient client,
            BiConsumer<ClientSession, WriteOutcome> also) {
        var collection = condition.collection();
        return write(
                mode,
                () -> Transaction.run(client, collection.writeConcern(), session -> {
                    var replaced = replaceIn(collection.in(session), document, mode);
                    replaced.ifPresent(outcome -> also.accept(session, outcome));
                    return replaced;
                }));
    }

    private Optional<WriteOutcome> replaceIn(SessionCollection collection, RawBsonDocument document, WriteMode mode) {
        var sent = condition.sent(mode);
        if (sent == WriteMode.INSERT) {
            collection.insertOne(document);
            return Optional.of(new Created());
        }
        var options = new ReplaceOptions().upsert(sent == WriteMode.UPSERT).hint(condition.hint());
        return outcome(collection.replaceOne(filter(mode), document, options));
    }

    /// Determines whether the document may be written, without writing it.
    ///
    /// @return [Missing] if it does not exist, [Changed] if it may be written
    public WriteOutcome preview() {
        var found = condition.find();
        if (found.isPresent()) {
            return condition
                    .refusal(found.get())
                    .<WriteOutcome>map(refused -> refused)
                    .orElseGet(Changed::new);
        }
        return condition.idExists() ? taken() : new Missing();
    }

    static Duplicate taken() {
        return new Duplicate("E11000 duplicate key error: the id is taken");
    }

    /// Updates the target; in the modes that create, updates an empty document.
    public DocumentWrite<WriteOutcome> updating(Update update, WriteMode mode) {
        var sent = condition.sent(mode);
        var made = withId(update, sent);
        var filter = filter(mode);
        var statement = made instanceof Update.Operators(var document, var arrayFilters)
                        && arrayFilters.isEmpty()
                        && ShortUpdate.is(document)
                ? shared(() -> statement(document, sent, filter))
                : Optional.<BsonDocument>empty();
        return new DocumentWrite.Change(
                condition, mode, statement, () -> updateIn(condition.collection(), made, sent, filter));
    }

    /// As [#updating], but nothing is stored when `check` throws.
    ///
    /// @param check receives the document as it would be stored; may be called several times
    public WriteOutcome update(Update update, WriteMode mode, MongoClient client, Consumer<RawBsonDocument> check) {
        var sent = condition.sent(mode);
        var checked = new CheckedUpdate(this, condition, filter(mode), withId(update, sent), sent, check);
        return write(mode, () -> checked.run(client));
    }

    /// @return empty if nothing matched
    Optional<WriteOutcome> updateIn(SessionCollection collection, Update update, WriteMode mode, BsonDocument filter) {
        var options = new UpdateOptions().upsert(mode != WriteMode.UPDATE).hint(condition.hint());
        return outcome(
                switch (update) {
                    case Update.Operators(var document, var arrayFilters) ->
                        collection.updateOne(
                                filter,
                                document,
                                arrayFilters.isEmpty() ? options : options.arrayFilters(arrayFilters));
                    case Update.Pipeline(var stages) -> collection.updateOne(filter, stages, options);
                });
    }

    private BsonDocument filter(WriteMode mode) {
        return mode == WriteMode.INSERT ? condition.nothing() : condition.filter();
    }

    /// The update, which keeps the id where MongoDB would not take it from the filter.
    private Update withId(Update update, WriteMode mode) {
        boolean notFromFilter = mode == WriteMode.INSERT
                || (mode == WriteMode.UPSERT && !condition.others().isEmpty());
        return notFromFilter ? Ids.kept(update, condition.id()) : update;
    }

    public DocumentWrite<DeleteOutcome> deleting() {
        return new DocumentWrite.Removal(
                condition,
                shared(() -> new BsonDocument("q", condition.filter()).append("limit", new BsonInt32(1))),
                this::deleteOnce);
    }

    private boolean deleteOnce() {
        return condition
                        .collection()
                        .deleteOne(condition.filter(), new DeleteOptions().hint(condition.hint()))
                        .getDeletedCount()
                > 0;
    }

    private static BsonDocument statement(BsonDocument change, WriteMode mode, BsonDocument filter) {
        var statement = new BsonDocument("q", filter).append("u", change);
        return mode == WriteMode.UPDATE ? statement : statement.append("upsert", BsonBoolean.TRUE);
    }

    /// The statement, if a command may contain it together with those of other requests.
    private Optional<BsonDocument> shared(Supplier<BsonDocument> statement) {
        return condition.mayShareCommand() ? Optional.of(statement.get()) : Optional.empty();
    }

    private WriteOutcome write(WriteMode mode, Supplier<Optional<WriteOutcome>> attempt) {
        return new DocumentWrite.Change(condition, mode, Optional.empty(), attempt).uncoalesced();
    }

    private static Optional<WriteOutcome> outcome(UpdateResult result) {
        if (result.getUpsertedId() != null) {
            return Optional.of(new Created());
        }
        return result.getMatchedCount() > 0 ? Optional.of(new Changed()) : Optional.empty();
    }

    /// Recognizes updates that take not much longer than reading and writing the document, so that others may wait for
    /// them. Unknown operators are not short.
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

        /// Many values of `$addToSet` are compared with each element, and elements that are sorted with each other.
        private static boolean isLong(String operator, BsonValue value) {
            return value.isDocument()
                    && switch (operator) {
                        case "$addToSet" -> value.asDocument().containsKey("$each");
                        case "$push" -> value.asDocument().containsKey("$sort");
                        default -> false;
                    };
        }
    }
}
