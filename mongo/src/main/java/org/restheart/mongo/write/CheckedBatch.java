package org.restheart.mongo.write;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.UpdateManyModel;
import java.io.Serial;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.write.CheckedChanges.Refusal;

/// Changes a batch of documents of [CheckedChanges]: in the transaction of the client, else in one of its own, else
/// each document by itself. Confined to one request.
///
/// @param session the client's, if it has one
/// @param filter which the documents have to match, besides having one of the ids
/// @param check throws for a document that must not be stored; may be called several times for one
record CheckedBatch(
        MongoClient client,
        MongoCollection<RawBsonDocument> collection,
        Optional<ClientSession> session,
        BsonDocument filter,
        BsonDocument update,
        Consumer<RawBsonDocument> check) {
    static final BsonDocument ID_ONLY = new BsonDocument("_id", new BsonInt32(1));

    private static final BulkWriteResult NOTHING = BulkWriteResult.acknowledged(0, 0, 0, 0, List.of(), List.of());

    /// Of documents that are in memory together with their copies, but for the last one.
    private static final long MAX_BYTES = 4 << 20;

    /// Says that documents are refused, so that none of the batch was changed.
    static final class RefusedException extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1;

        private final transient List<Refusal> refused;

        private RefusedException(List<Refusal> refused) {
            super("refused", null, false, false);
            this.refused = refused;
        }

        List<Refusal> refused() {
            return refused;
        }
    }

    /// Within a transaction of the client, which never holds what is not checked: another request could commit it.
    /// Aborts it if a document is refused.
    ///
    /// @param all counts what was changed
    void changeWithin(ClientSession begun, List<BsonValue> ids, CheckedChanges all) {
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
                        var written = replaced(dryRun, begun, some);
                        matched += written.getMatchedCount();
                        modified += written.getModifiedCount();
                        some.clear();
                        bytes = 0;
                    }
                }
            }
            all.add(matched, modified);
        } catch (ProblemException | MongoException e) { // all are changed or none
            Transaction.abort(begun);
            throw e;
        }
    }

    /// @param all counts what was changed, and refusals where each document is changed by itself
    /// @throws RefusedException in a transaction
    /// @throws MongoBulkWriteException if MongoDB refuses the change
    void change(List<BsonValue> ids, CheckedChanges all) {
        if (Transaction.isSupported(client)) {
            Transaction.run(client, collection.getWriteConcern(), own -> changedIn(own, ids))
                    .ifPresent(result -> all.add(result.getMatchedCount(), result.getModifiedCount()));
            return;
        }
        try (var dryRun = DryRun.open(client, collection.getNamespace())) {
            for (var id : ids) { // one after the other, since each has to be as it was read when it is replaced
                try {
                    changeAfter(dryRun, id, all);
                } catch (ProblemException e) {
                    all.add(new Refusal(id, refusal(e)));
                }
            }
        }
    }

    /// The ids of documents that the filter matches.
    private List<BsonValue> matching(ClientSession transaction, List<BsonValue> ids) {
        return new SessionCollection(collection, Optional.of(transaction))
                .find(of(ids))
                .projection(ID_ONLY)
                .map(CheckedBatch::id)
                .into(new ArrayList<>());
    }

    private BulkWriteResult replaced(DryRun dryRun, ClientSession begun, List<RawBsonDocument> stored) {
        var change = change(of(stored.stream().map(CheckedBatch::id).toList()));
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
                    return DryRun.replacement(document, result, true);
                })
                .toList();
        var written = BulkWrites.inOrder(Optional.of(begun), collection, replacements);
        if (written.getMatchedCount() != stored.size()) { // by a request that runs in the same transaction
            throw WriteAttempts.changesTooOften();
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
        // with the filter, to which a positional operator refers
        var result = BulkWrites.inOrder(Optional.of(transaction), collection, change(of(matching)));
        var refused = new ArrayList<Refusal>();
        for (var document : new SessionCollection(collection, Optional.of(transaction)).find(byIds(matching))) {
            try {
                check.accept(document);
            } catch (ProblemException e) {
                refused.add(new Refusal(id(document), refusal(e)));
            }
        }
        if (!refused.isEmpty()) {
            throw new RefusedException(refused);
        }
        return Optional.of(result);
    }

    private void changeAfter(DryRun dryRun, BsonValue id, CheckedChanges all) {
        var one = of(List.of(id));
        var replaced = DryRun.untilUnchanged(() -> {
            var stored = new SessionCollection(collection, session).find(one).first();
            if (stored == null) {
                return Optional.of(NOTHING);
            }
            var result = dryRun.result(
                    stored,
                    id,
                    copies -> BulkWrites.inOrder(copies.session(), copies.collection(), change(one))
                                    .getMatchedCount()
                            > 0);
            check.accept(result);
            return Optional.of(
                            BulkWrites.inOrder(session, collection, List.of(DryRun.replacement(stored, result, false))))
                    .filter(written -> written.getMatchedCount() > 0);
        });
        all.add(replaced.getMatchedCount(), replaced.getModifiedCount());
    }

    /// What is the matter with one document, not with the request.
    private static Problem refusal(ProblemException e) {
        var code = e.problem().code();
        if (code != ProblemCode.CONTENT_INVALID && code != ProblemCode.CONFLICT) {
            throw e;
        }
        return e.problem();
    }

    private List<UpdateManyModel<RawBsonDocument>> change(BsonDocument documents) {
        return List.of(new UpdateManyModel<>(documents, update));
    }

    private BsonDocument of(List<BsonValue> ids) {
        var all = byIds(ids);
        return filter.isEmpty() ? all : all.append("$and", new BsonArray(List.of(filter)));
    }

    private static BsonDocument byIds(List<BsonValue> ids) {
        return new BsonDocument("_id", new BsonDocument("$in", new BsonArray(ids)));
    }

    static BsonValue id(BsonDocument document) {
        return Objects.requireNonNull(document.get("_id"));
    }
}
