package org.restheart.mongo.write;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.ReadPreference;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.bson.BsonDocument;
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

    /// Refusals that are kept; all are counted.
    private static final int MAX_KEPT = 1_000;

    private final CheckedBatch batches;

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
    public CheckedChanges(
            MongoClient client,
            MongoCollection<RawBsonDocument> collection,
            Optional<ClientSession> session,
            BsonDocument filter,
            BsonDocument update,
            Consumer<RawBsonDocument> check) {
        var acknowledged = SessionCollection.acknowledged(collection);
        this.batches = new CheckedBatch(
                client, acknowledged.withReadPreference(ReadPreference.primary()), session, filter, update, check);
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
        try (var ids = new SessionCollection(batches.collection(), batches.session())
                .find(batches.filter())
                .projection(CheckedBatch.ID_ONLY)
                .sort(CheckedBatch.ID_ONLY)
                .batchSize(10 * BATCH)
                .maxTime(timeLimit.toMillis(), TimeUnit.MILLISECONDS)
                .map(CheckedBatch::id)
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
                transaction.ifPresentOrElse(
                        begun -> batches.changeWithin(begun, left, this), () -> batches.change(left, this));
                return;
            } catch (CheckedBatch.RefusedException e) {
                e.refused().forEach(this::add);
                left.removeAll(e.refused().stream().map(Refusal::id).toList());
            } catch (MongoBulkWriteException e) {
                failure = Optional.of(e);
                if (transaction.isPresent()) { // which is aborted, earlier batches included
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

    /// A document that was refused.
    void add(Refusal refusal) {
        refused++;
        if (refusals.size() < MAX_KEPT) {
            refusals.add(refusal);
        }
    }

    /// @param matched documents that were changed or had the new values already
    /// @param modified those of them that did not have them
    void add(long matched, long modified) {
        changed += matched;
        this.modified += modified;
    }
}
