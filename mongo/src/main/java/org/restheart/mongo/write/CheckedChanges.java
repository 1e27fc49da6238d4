package org.restheart.mongo.write;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.UpdateManyModel;
import java.io.Serial;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// Changes many documents, each checked as it would be stored before anybody can see it. Documents that are
/// refused stay as they are, the others are changed: in batches, each a transaction, so that memory and locks
/// are bounded whatever the number of documents; on a server without transactions each by itself. Within a
/// transaction of the client all of them are changed or none. Confined to one request.
public final class CheckedChanges {
    /// Few enough that the transaction is over long before others wait for it in vain.
    private static final int BATCH = 100;

    /// Of documents that are in memory together with their copies, but for the last one.
    private static final long MAX_BYTES = 4 << 20;

    /// Refusals that are kept; all are counted.
    private static final int MAX_KEPT = 1_000;

    private static final BsonDocument ID_ONLY = new BsonDocument("_id", new BsonInt32(1));

    private final MongoClient client;
    private final MongoCollection<RawBsonDocument> collection;
    private final Optional<ClientSession> session;

    /// Of the client, when this began: an error aborts it, and nothing may be changed outside of it then.
    private final boolean inTransaction;

    private final BsonDocument filter;
    private final BsonDocument update;
    private final Consumer<RawBsonDocument> check;

    private final List<Refusal> refusals = new ArrayList<>();
    private long refused;
    private long changed;
    private long modified;
    private Optional<MongoBulkWriteException> failure = Optional.empty();

    /// @param session the client's, if it has one
    /// @param filter of a write: the access rule's and the client's
    /// @param check throws 400 for a document that must not be stored; may be called several times for one
    public CheckedChanges(
            MongoClient client,
            MongoCollection<RawBsonDocument> collection,
            Optional<ClientSession> session,
            BsonDocument filter,
            BsonDocument update,
            Consumer<RawBsonDocument> check) {
        this.client = client;
        this.collection = (collection.getWriteConcern().isAcknowledged()
                        ? collection
                        : collection.withWriteConcern(WriteConcern.W1))
                .withReadPreference(ReadPreference.primary());
        this.session = session;
        this.inTransaction = session.filter(ClientSession::hasActiveTransaction).isPresent();
        this.filter = filter;
        this.update = update;
        this.check = check;
    }

    /// A document that stays as it is.
    public record Refusal(BsonValue id, Problem why) {}

    /// @param matched documents that the filter matched, those refused included
    /// @param modified of these, which were changed and did not have the new values already
    /// @param changed of these, which were changed or had the new values already
    /// @param refusals the first of them
    /// @param refused all of them
    /// @param failure MongoDB's refusal, which ended the change with the batch that was not carried out
    public record Outcome(
            long matched,
            long modified,
            long changed,
            List<Refusal> refusals,
            long refused,
            Optional<MongoBulkWriteException> failure) {
        public Outcome {
            refusals = List.copyOf(refusals);
        }
    }

    /// @param timeLimit after which documents are left; zero for none
    /// @return empty if documents were left
    /// @throws ProblemException 400 for a refused document within a transaction of the client, which is
    ///     aborted
    public Optional<Outcome> run(Duration timeLimit) {
        long start = System.nanoTime();
        // by the index of ids, or sorted as a whole: a document that the change moves in another index comes once
        try (var ids = new SessionCollection(collection, session)
                .find(filter)
                .projection(ID_ONLY)
                .sort(ID_ONLY)
                .batchSize(10 * BATCH)
                .maxTime(timeLimit.toMillis(), TimeUnit.MILLISECONDS)
                .map(CheckedChanges::id)
                .iterator()) {
            var batch = new ArrayList<BsonValue>(BATCH);
            while (failure.isEmpty() && ids.hasNext()) {
                batch.add(ids.next());
                if (batch.size() == BATCH || !ids.hasNext()) {
                    if (!timeLimit.isZero() && System.nanoTime() - start > timeLimit.toNanos()) {
                        return Optional.empty();
                    }
                    change(batch);
                    batch.clear();
                }
            }
        } catch (MongoExecutionTimeoutException _) {
            return Optional.empty();
        }
        return Optional.of(new Outcome(changed + refused, modified, changed, refusals, refused, failure));
    }

    private void change(List<BsonValue> ids) {
        var left = new ArrayList<>(ids);
        while (!left.isEmpty()) {
            try {
                add(changed(left));
                return;
            } catch (RefusedException e) {
                e.refused.forEach(this::add);
                left.removeAll(e.refused.stream().map(Refusal::id).toList());
            } catch (MongoBulkWriteException e) {
                failure = Optional.of(e);
                if (inTransaction) { // which is aborted, earlier batches included
                    changed = 0;
                    modified = 0;
                }
                return;
            } catch (ProblemException e) {
                if (inTransaction || e.problem().code() != ProblemCode.CONFLICT) {
                    throw e;
                }
                if (left.size() == 1) {
                    add(new Refusal(left.getFirst(), e.problem()));
                } else { // who changes one document all the time does not keep the others from being changed
                    int half = left.size() / 2;
                    change(left.subList(0, half));
                    change(left.subList(half, left.size()));
                }
                return;
            }
        }
    }

    private Counts changed(List<BsonValue> ids) {
        if (inTransaction) {
            return within(session.orElseThrow(), ids);
        }
        return Transaction.isSupported(client)
                ? Transaction.run(client, collection.getWriteConcern(), own -> attempt(own, ids))
                : afterDryRun(ids);
    }

    private void add(Refusal refusal) {
        refused++;
        if (refusals.size() < MAX_KEPT) {
            refusals.add(refusal);
        }
    }

    private void add(Counts counts) {
        changed += counts.changed;
        modified += counts.modified;
    }

    /// Within a transaction of the client, which never holds what is not checked: another request could commit it.
    private Counts within(ClientSession begun, List<BsonValue> ids) {
        try (var dryRun = DryRun.open(client, collection.getNamespace())) {
            long matched = 0;
            long modified = 0;
            var some = new ArrayList<RawBsonDocument>();
            long bytes = 0;
            var matching = matching(begun, ids); // before any is changed, which may change what others match
            try (var found = new SessionCollection(collection, Optional.of(begun))
                    .find(byIds(matching))
                    .iterator()) {
                while (found.hasNext()) {
                    some.add(found.next());
                    bytes += some.getLast().getByteLength();
                    if (bytes > MAX_BYTES || !found.hasNext()) {
                        var counts = replaced(dryRun, begun, some);
                        matched += counts.changed;
                        modified += counts.modified;
                        some.clear();
                        bytes = 0;
                    }
                }
            }
            return new Counts(matched, modified);
        } catch (ProblemException | MongoException e) { // all are changed or none
            Transaction.abort(begun);
            throw e;
        }
    }

    /// The ids of documents that the filter matches.
    private List<BsonValue> matching(ClientSession transaction, List<BsonValue> ids) {
        return new SessionCollection(collection, Optional.of(transaction))
                .find(of(ids))
                .projection(ID_ONLY)
                .map(CheckedChanges::id)
                .into(new ArrayList<>());
    }

    private Counts replaced(DryRun dryRun, ClientSession begun, List<RawBsonDocument> stored) {
        var ids = stored.stream().map(CheckedChanges::id).toList();
        var change = List.of(new UpdateManyModel<RawBsonDocument>(of(ids), update));
        var results = dryRun.with(stored, copies -> {
            var changed = BulkWrites.inOrder(copies.session(), copies.collection(), change);
            if (changed.getMatchedCount() != stored.size()) {
                throw DryRun.unmatched();
            }
            return copies.inSession().find(new BsonDocument()).into(new ArrayList<>());
        });
        var byId = new HashMap<BsonValue, RawBsonDocument>();
        for (var result : results) {
            check.accept(result);
            byId.put(id(result), result);
        }
        var replacements = stored.stream()
                .map(document -> {
                    var result = Objects.requireNonNull(byId.get(id(document)));
                    return new ReplaceOneModel<>(DryRun.unchanged(document, result, true), result, DryRun.OF_UNCHANGED);
                })
                .toList();
        var written = BulkWrites.inOrder(Optional.of(begun), collection, replacements);
        if (written.getMatchedCount() != stored.size()) { // by a request that runs in the same transaction
            throw WriteAttempts.changesTooOften();
        }
        return new Counts(written.getMatchedCount(), written.getModifiedCount());
    }

    /// In one snapshot: which of the documents still match, their change, and what it made of them.
    private Counts attempt(ClientSession transaction, List<BsonValue> ids) {
        var inTransaction = new SessionCollection(collection, Optional.of(transaction));
        var matching = matching(transaction, ids);
        if (matching.isEmpty()) {
            return new Counts(0, 0);
        }
        // with the filter, to which a positional operator refers
        var result = BulkWrites.inOrder(
                Optional.of(transaction), collection, List.of(new UpdateManyModel<>(of(matching), update)));
        var refused = new ArrayList<Refusal>();
        for (var document : inTransaction.find(byIds(matching))) {
            try {
                check.accept(document);
            } catch (ProblemException e) {
                refused.add(new Refusal(id(document), refusal(e)));
            }
        }
        if (!refused.isEmpty()) {
            throw new RefusedException(refused);
        }
        return new Counts(result.getMatchedCount(), result.getModifiedCount());
    }

    /// One after the other, since each has to be as it was read when it is replaced.
    private Counts afterDryRun(List<BsonValue> ids) {
        try (var dryRun = DryRun.open(client, collection.getNamespace())) {
            for (var id : ids) {
                try {
                    add(afterDryRun(dryRun, id));
                } catch (ProblemException e) {
                    add(new Refusal(id, refusal(e)));
                }
            }
        }
        return new Counts(0, 0);
    }

    private Counts afterDryRun(DryRun dryRun, BsonValue id) {
        var one = of(List.of(id));
        for (int attempt = 0; attempt < DryRun.MAX_ATTEMPTS; attempt++) {
            var stored = new SessionCollection(collection, session).find(one).first();
            if (stored == null) {
                return new Counts(0, 0);
            }
            var change = List.of(new UpdateManyModel<RawBsonDocument>(one, update));
            var result = dryRun.result(
                    stored,
                    id,
                    copies -> BulkWrites.inOrder(copies.session(), copies.collection(), change)
                                    .getMatchedCount()
                            > 0);
            check.accept(result);
            var replaced = BulkWrites.inOrder(
                    session,
                    collection,
                    List.of(new ReplaceOneModel<>(
                            DryRun.unchanged(stored, result, false), result, DryRun.OF_UNCHANGED)));
            if (replaced.getMatchedCount() > 0) {
                return new Counts(1, replaced.getModifiedCount());
            }
            Transaction.pause(attempt);
        }
        throw WriteAttempts.changesTooOften();
    }

    /// What is the matter with one document, not with the request.
    private static Problem refusal(ProblemException e) {
        var code = e.problem().code();
        if (code != ProblemCode.CONTENT_INVALID && code != ProblemCode.CONFLICT) {
            throw e;
        }
        return e.problem();
    }

    private BsonDocument of(List<BsonValue> ids) {
        var all = byIds(ids);
        return filter.isEmpty() ? all : all.append("$and", new BsonArray(List.of(filter)));
    }

    private static BsonDocument byIds(List<BsonValue> ids) {
        return new BsonDocument("_id", new BsonDocument("$in", new BsonArray(ids)));
    }

    private static BsonValue id(BsonDocument document) {
        return Objects.requireNonNull(document.get("_id"));
    }

    private record Counts(long changed, long modified) {}

    /// Ends the transaction.
    private static final class RefusedException extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1;

        private final transient List<Refusal> refused;

        RefusedException(List<Refusal> refused) {
            super("refused", null, false, false);
            this.refused = refused;
        }
    }
}
