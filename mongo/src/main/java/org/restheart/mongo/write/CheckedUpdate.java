package org.restheart.mongo.write;

import com.mongodb.MongoException;
import com.mongodb.ReadPreference;
import java.util.Objects;
import java.util.Optional;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.http.ProblemException;
import org.restheart.mongo.parameter.Parameters.WriteMode;
import org.restheart.mongo.write.DocumentWrite.Judge;
import org.restheart.mongo.write.WriteOutcome.Changed;
import org.restheart.mongo.write.WriteOutcome.Created;
import org.restheart.mongo.write.WriteOutcome.Duplicate;
import org.restheart.mongo.write.WriteOutcome.Missing;

/// An update of one document that is checked as it would be stored before anybody can see it: in a transaction, or on
/// a copy where that is impossible. A transaction of the client never holds what is not checked: another request
/// could commit it before the check has ended. Confined to one request.
record CheckedUpdate(DocumentWrite write, Judge judge) {

    /// @return empty if nothing matched
    Optional<WriteOutcome> run() {
        var collection = write.target().collection();
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
                ? Transaction.run(judge.client(), collection.writeConcern(), session -> within(collection.in(session)))
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
