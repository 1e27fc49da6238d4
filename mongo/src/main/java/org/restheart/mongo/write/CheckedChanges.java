package org.restheart.mongo.write;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.ReadPreference;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.UpdateManyModel;
import com.mongodb.client.model.UpdateOptions;
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
import org.restheart.bson.fields.Update;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.find.Near;
import org.restheart.mongo.find.TextSearch;

/// Changes many documents, each checked as it would be stored before anybody can see it. Documents that are
/// refused stay as they are, the others are changed: in batches, each a transaction, so that memory and locks
/// are bounded whatever the number of documents; on a server without transactions each by itself. Within a
/// transaction of the client all of them are changed or none. Confined to one request.
public final class CheckedChanges {
    /// Few enough that the transaction is over long before others wait for it in vain.
    private static final int BATCH = 100;

    private static final BsonDocument ID_ONLY = new BsonDocument("_id", new BsonInt32(1));

    private static final BulkWriteResult NOTHING = BulkWriteResult.acknowledged(0, 0, 0, 0, List.of(), List.of());

    /// Of documents that are in memory together with their copies, but for the last one.
    private static final long MAX_BYTES = 4 << 20;

    /// Refusals that are kept; all are counted.
    private static final int MAX_KEPT = 1_000;

    private final MongoClient client;
    private final MongoCollection<RawBsonDocument> collection;
    private final Optional<ClientSession> session;
    private final BsonDocument filter;
    private final Update.Operators update;
    private final Consumer<RawBsonDocument> check;
    private final boolean rehearses;

    /// Of the client, when this began: an error aborts it, and nothing may be changed outside of it then.
    private final Optional<ClientSession> transaction;

    private final List<Refusal> refusals = new ArrayList<>();
    private long refused;
    private long changed;
    private long modified;
    private Optional<MongoBulkWriteException> failure = Optional.empty();

    /// @param session the client's, if it has one
    /// @param filter of a write: the access rule's and the client's
    /// @param check throws 400 for a document that must not be stored; may be called several times for one
    /// @param rehearses whether the transaction is aborted in any case, and the outcome is to be that without one
    public CheckedChanges(
            MongoClient client,
            MongoCollection<RawBsonDocument> collection,
            Optional<ClientSession> session,
            BsonDocument filter,
            Update.Operators update,
            Consumer<RawBsonDocument> check,
            boolean rehearses) {
        this.client = client;
        this.collection = SessionCollection.acknowledged(collection).withReadPreference(ReadPreference.primary());
        this.session = session;
        this.filter = filter;
        this.update = update;
        this.check = check;
        this.rehearses = rehearses;
        this.transaction = session.filter(ClientSession::hasActiveTransaction);
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
                transaction.ifPresentOrElse(begun -> changeWithin(begun, left), () -> changeBatch(left));
                return;
            } catch (RefusedException e) {
                e.refused.forEach(this::add);
                left.removeAll(e.refused.stream().map(Refusal::id).toList());
            } catch (MongoBulkWriteException e) {
                failure = Optional.of(e);
                if (transaction.isPresent() && !rehearses) { // which is aborted, earlier batches included
                    changed = 0;
                    modified = 0;
                }
                return;
            } catch (ProblemException e) {
                if (transaction.isPresent() || e.problem().code() != ProblemCode.CONFLICT) {
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

    private void add(Refusal refusal) {
        refused++;
        if (refusals.size() < MAX_KEPT) {
            refusals.add(refusal);
        }
    }

    private void add(BulkWriteResult written) {
        changed += written.getMatchedCount();
        modified += written.getModifiedCount();
    }

    /// Says that documents are refused, so that none of the batch was changed.
    private static final class RefusedException extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1;

        private final transient List<Refusal> refused;

        RefusedException(List<Refusal> refused) {
            super("refused", null, false, false);
            this.refused = refused;
        }
    }

    /// Within a transaction of the client, which never holds what is not checked: another request could commit it.
    /// Aborts it if a document is refused.
    private void changeWithin(ClientSession begun, List<BsonValue> ids) {
        var written = new ArrayList<BulkWriteResult>();
        var others = new ArrayList<Refusal>();
        try (var dryRun = DryRun.open(client, collection.getNamespace())) {
            var some = new ArrayList<RawBsonDocument>();
            long bytes = 0;
            var matching = matching(begun, ids); // before any is changed, which may change what others match
            try (var found = in(begun).find(byIds(matching)).iterator()) {
                while (found.hasNext()) {
                    some.add(found.next());
                    bytes += some.getLast().getByteLength();
                    if (bytes > MAX_BYTES || !found.hasNext()) {
                        written.add(replaced(dryRun, begun, some, others));
                        some.clear();
                        bytes = 0;
                    }
                }
            }
        } catch (ProblemException | MongoException e) { // all are changed or none
            Transaction.abort(begun);
            throw e;
        }
        written.forEach(this::add);
        others.forEach(this::add);
    }

    /// @throws RefusedException in a transaction
    /// @throws MongoBulkWriteException if MongoDB refuses the change
    private void changeBatch(List<BsonValue> ids) {
        if (Transaction.isSupported(client)) {
            Transaction.run(client, collection.getWriteConcern(), own -> changedIn(own, ids))
                    .ifPresent(this::add);
            return;
        }
        try (var dryRun = DryRun.open(client, collection.getNamespace())) {
            for (var id : ids) { // one after the other, since each has to be as it was read when it is replaced
                try {
                    changeAfter(dryRun, id);
                } catch (ProblemException e) {
                    add(new Refusal(id, refusal(e)));
                }
            }
        }
    }

    private SessionCollection in(ClientSession transaction) {
        return new SessionCollection(collection, Optional.of(transaction));
    }

    /// The ids of documents that the filter matches.
    private List<BsonValue> matching(ClientSession transaction, List<BsonValue> ids) {
        return in(transaction)
                .find(of(ids))
                .projection(ID_ONLY)
                .map(CheckedChanges::id)
                .into(new ArrayList<>());
    }

    /// @param others gets those that are refused, if that is a rehearsal
    private BulkWriteResult replaced(
            DryRun dryRun, ClientSession begun, List<RawBsonDocument> stored, List<Refusal> others) {
        var change = changeOf(stored.stream().map(CheckedChanges::id).toList());
        var results = dryRun.with(stored, copies -> {
            var changed = BulkWrites.inOrder(copies.session(), copies.collection(), change);
            if (changed.getMatchedCount() != stored.size()) {
                throw DryRun.unmatched();
            }
            return copies.inSession().find(new BsonDocument()).into(new ArrayList<>());
        });
        var byId = new HashMap<BsonValue, RawBsonDocument>();
        for (var result : results) {
            try {
                check.accept(result);
                byId.put(id(result), result);
            } catch (ProblemException e) {
                if (!rehearses) {
                    throw e;
                }
                others.add(new Refusal(id(result), refusal(e)));
            }
        }
        var replacements = stored.stream()
                .filter(document -> byId.containsKey(id(document)))
                .map(document -> DryRun.replacement(document, Objects.requireNonNull(byId.get(id(document))), true))
                .toList();
        if (replacements.isEmpty()) {
            return NOTHING;
        }
        var written = BulkWrites.inOrder(Optional.of(begun), collection, replacements);
        if (written.getMatchedCount() != replacements.size()) { // by a request that runs in the same transaction
            throw Transaction.changesTooOften();
        }
        return written;
    }

    /// In one snapshot: which of the documents still match, their change, and what it made of them.
    ///
    /// @return empty if none matches
    private Optional<BulkWriteResult> changedIn(ClientSession transaction, List<BsonValue> ids) {
        var matching = matching(transaction, ids);
        if (matching.isEmpty()) {
            return Optional.empty();
        }
        var result = BulkWrites.inOrder(Optional.of(transaction), collection, changeOf(matching));
        var some = new ArrayList<Refusal>();
        for (var document : in(transaction).find(byIds(matching))) {
            try {
                check.accept(document);
            } catch (ProblemException e) {
                some.add(new Refusal(id(document), refusal(e)));
            }
        }
        if (!some.isEmpty()) {
            throw new RefusedException(some);
        }
        return Optional.of(result);
    }

    private void changeAfter(DryRun dryRun, BsonValue id) {
        var one = List.of(id);
        var replaced = DryRun.untilUnchanged(() -> {
            var stored =
                    new SessionCollection(collection, session).find(of(one)).first();
            if (stored == null) {
                return Optional.of(NOTHING);
            }
            var result = dryRun.result(
                    stored,
                    id,
                    copies -> BulkWrites.inOrder(copies.session(), copies.collection(), changeOf(one))
                                    .getMatchedCount()
                            > 0);
            check.accept(result);
            return Optional.of(
                            BulkWrites.inOrder(session, collection, List.of(DryRun.replacement(stored, result, false))))
                    .filter(written -> written.getMatchedCount() > 0);
        });
        add(replaced);
    }

    /// What is the matter with one document, not with the request.
    private static Problem refusal(ProblemException e) {
        var code = e.problem().code();
        if (code != ProblemCode.CONTENT_INVALID && code != ProblemCode.CONFLICT) {
            throw e;
        }
        return e.problem();
    }

    /// In the order of ids, not of distances or another index: hidden documents decide about that, and with it which
    /// error comes first. MongoDB takes no hint beside `$text`.
    ///
    /// @param ids of documents that the filter matches, to which a positional operator refers
    private List<UpdateManyModel<RawBsonDocument>> changeOf(List<BsonValue> ids) {
        var options = new UpdateOptions().hint(TextSearch.isIn(filter) ? null : ID_ONLY);
        if (!update.arrayFilters().isEmpty()) {
            options.arrayFilters(update.arrayFilters());
        }
        return List.of(new UpdateManyModel<>(of(ids, Near.removedFrom(filter)), update.document(), options));
    }

    private BsonDocument of(List<BsonValue> ids) {
        return of(ids, filter);
    }

    private static BsonDocument of(List<BsonValue> ids, BsonDocument filter) {
        var all = byIds(ids);
        return filter.isEmpty() ? all : all.append("$and", new BsonArray(List.of(filter)));
    }

    private static BsonDocument byIds(List<BsonValue> ids) {
        return new BsonDocument("_id", new BsonDocument("$in", new BsonArray(ids)));
    }

    private static BsonValue id(BsonDocument document) {
        return Objects.requireNonNull(document.get("_id"));
    }
}
