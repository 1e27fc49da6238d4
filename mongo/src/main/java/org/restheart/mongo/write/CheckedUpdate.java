package org.restheart.mongo.write;

import com.mongodb.MongoException;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.Update;
import org.restheart.http.ProblemException;
import org.restheart.mongo.parameter.Parameters.WriteMode;
import org.restheart.mongo.write.WriteOutcome.Changed;
import org.restheart.mongo.write.WriteOutcome.Created;
import org.restheart.mongo.write.WriteOutcome.Duplicate;
import org.restheart.mongo.write.WriteOutcome.Missing;

/// An update of one document that is checked as it would be stored before anybody can see it: in a transaction, or on
/// a copy where that is impossible. A transaction of the client never holds what is not checked: another request
/// could commit it before the check has ended. Confined to one request.
///
/// @param condition the target's
/// @param filter with the id and the precondition; of no document where one is to be inserted
/// @param check throws for a document that must not be stored; may be called several times
record CheckedUpdate(
        TargetDocument target,
        DocumentCondition condition,
        BsonDocument filter,
        Update update,
        WriteMode mode,
        Consumer<RawBsonDocument> check) {

    /// @return empty if nothing matched
    Optional<WriteOutcome> run(MongoClient client) {
        var collection = condition.collection();
        var begun = collection.transaction();
        if (begun.isPresent()) {
            try {
                var outcome = afterDryRun(client);
                if (outcome.filter(Duplicate.class::isInstance).isPresent()) {
                    Transaction.abort(begun.get());
                }
                return outcome;
            } catch (ProblemException | MongoException e) {
                Transaction.abort(begun.get());
                throw e;
            }
        }
        return Transaction.isSupported(client)
                ? Transaction.run(client, collection.writeConcern(), session -> within(collection.in(session)))
                : afterDryRun(client);
    }

    private Optional<WriteOutcome> within(SessionCollection transaction) {
        var outcome = target.updateIn(transaction, update, mode, filter);
        if (outcome.isPresent()) {
            check.accept(Objects.requireNonNull(
                    transaction.find(Ids.equal(condition.id())).first()));
        }
        return outcome;
    }

    private Optional<WriteOutcome> afterDryRun(MongoClient client) {
        try (var dryRun = DryRun.open(client, condition.collection().namespace())) {
            var outcome =
                    DryRun.untilUnchanged(() -> mode == WriteMode.INSERT ? created(dryRun) : changedOrCreated(dryRun));
            return Optional.of(outcome).filter(known -> !(known instanceof Missing));
        }
    }

    /// Empty if the document has changed meanwhile.
    private Optional<WriteOutcome> changedOrCreated(DryRun dryRun) {
        var stored = condition
                .collection()
                .with(ReadPreference.primary())
                .find(filter)
                .hint(condition.hint())
                .first();
        if (stored == null) {
            return mode == WriteMode.UPDATE ? Optional.of(new Missing()) : created(dryRun);
        }
        var result = result(dryRun, stored);
        check.accept(result);
        var replaced = condition.collection().replaceOne(unchanged(stored, result), result, DryRun.OF_UNCHANGED);
        return replaced.getMatchedCount() > 0 ? Optional.of(new Changed()) : Optional.empty();
    }

    private BsonDocument unchanged(RawBsonDocument stored, RawBsonDocument result) {
        return DryRun.unchanged(
                stored, result, condition.collection().transaction().isPresent());
    }

    /// Empty if the document came meanwhile.
    private Optional<WriteOutcome> created(DryRun dryRun) {
        var expected = target.preview(); // whether the id is taken comes before what the document would be
        if (expected instanceof Changed && mode == WriteMode.UPSERT) {
            return Optional.empty();
        }
        if (!(expected instanceof Missing)) {
            return Optional.of(expected instanceof Changed ? TargetDocument.taken() : expected);
        }
        var result = result(dryRun, null);
        check.accept(result);
        condition.collection().insertOne(result);
        return Optional.of(new Created());
    }

    private RawBsonDocument result(DryRun dryRun, @Nullable RawBsonDocument stored) {
        return dryRun.result(
                stored,
                condition.id(),
                copies -> target.updateIn(copies.inSession(), update, mode, filter)
                        .isPresent());
    }
}
