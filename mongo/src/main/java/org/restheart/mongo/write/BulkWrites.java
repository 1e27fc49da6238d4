package org.restheart.mongo.write;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.ReadPreference;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteInsert;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.bulk.BulkWriteUpsert;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.WriteModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.error.UnknownOutcomeException;
import org.restheart.mongo.write.BulkWrites.Counts;

/// Many writes of one request as one command, or as several ([CommandBatches]). Filters of clients have been
/// checked by [org.restheart.mongo.find.StagedFilter#ofWrites].
public final class BulkWrites {
    private BulkWrites() {}

    /// Documents of one request to insert, or to put in place of others. Immutable.
    ///
    /// @param session the client's, if it has one
    /// @param models at least one; all inserts, each with its `_id`, or all replacements
    /// @param ordered whether those behind the first that fails are left
    /// @param most time for all: no command is begun later, and what is left then is refused like what waits; where
    ///     there are no other limits, each command has this one
    /// @param rehearsal of which they are a part
    public record Writes(
            MongoCollection<RawBsonDocument> collection,
            Optional<ClientSession> session,
            List<? extends WriteModel<RawBsonDocument>> models,
            boolean ordered,
            Optional<Duration> most,
            Optional<Rehearsal> rehearsal) {
        /// Inserts, of which each is tried.
        public static Writes inserts(MongoCollection<RawBsonDocument> collection, List<RawBsonDocument> documents) {
            var models = documents.stream().map(InsertOneModel::new).toList();
            return new Writes(collection, Optional.empty(), models, false, Optional.empty(), Optional.empty());
        }

        boolean areInserts() {
            return models.getFirst() instanceof InsertOneModel;
        }

        /// Others with the same settings, of no rehearsal.
        Writes of(List<? extends WriteModel<RawBsonDocument>> others) {
            return new Writes(collection, session, others, ordered, most, Optional.empty());
        }

        /// Whether they are sent outside of sessions and have outcomes.
        boolean areFree() {
            return session.isEmpty() && collection.getWriteConcern().isAcknowledged();
        }

        /// The documents to insert; empty for writes that cannot share a command.
        public List<RawBsonDocument> shareable() {
            return areFree() && areInserts() && !ordered && most.isEmpty()
                    ? models.stream().map(TimeLimitedWrites::statement).toList()
                    : List.of();
        }

        /// Sends them without a time limit for each.
        Tried run() {
            return rehearsal.map(known -> known.run(this)).orElseGet(this::carriedOut);
        }

        private Tried carriedOut() {
            var limited = most.map(time -> collection.withTimeout(time.toMillis(), TimeUnit.MILLISECONDS))
                    .orElse(collection);
            try {
                return new Tried(
                        BulkWrites.run(session, limited, models, new BulkWriteOptions().ordered(ordered)), List.of());
            } catch (MongoBulkWriteException e) {
                return new Tried(e.getWriteResult(), errors(e));
            }
        }
    }

    /// @param errors of those that failed, each with its position
    public record Tried(BulkWriteResult result, List<BulkWriteError> errors) {
        /// @param all how many were tried
        public static Tried inserts(int all, List<BulkWriteError> errors) {
            int inserted = all - errors.size();
            return new Tried(BulkWriteResult.acknowledged(inserted, 0, 0, 0, List.of(), List.of()), errors);
        }
    }

    /// The same error of the document at another position.
    public static BulkWriteError at(int position, BulkWriteError error) {
        return new BulkWriteError(error.getCode(), error.getMessage(), error.getDetails(), position);
    }

    /// The errors of single documents.
    ///
    /// @throws MongoBulkWriteException the same one, if more failed than single documents
    public static List<BulkWriteError> errors(MongoBulkWriteException e) {
        if (e.getWriteErrors().isEmpty() || e.getWriteConcernError() != null) {
            throw e;
        }
        return e.getWriteErrors();
    }

    /// Runs them one after the other, until one fails.
    ///
    /// @param session the client's, if it has one
    /// @throws com.mongodb.MongoBulkWriteException as soon as one failed
    public static <T> BulkWriteResult inOrder(
            Optional<ClientSession> session, MongoCollection<T> collection, List<? extends WriteModel<T>> writes) {
        return run(session, collection, writes, new BulkWriteOptions());
    }

    /// @param matched documents that existed
    public record Counts(long matched, long inserted) {
        static final Counts NONE = new Counts(0, 0);

        /// Zeros for an unacknowledged write.
        public static Counts of(BulkWriteResult result) {
            return result.wasAcknowledged()
                    ? new Counts(
                            result.getMatchedCount(),
                            result.getInsertedCount() + result.getUpserts().size())
                    : NONE;
        }

        Counts plus(Counts other) {
            return new Counts(matched + other.matched, inserted + other.inserted);
        }
    }

    /// Runs all of them or none: updated documents are checked before they are visible. On a server without
    /// transactions none of them if one is refused by the check; if another one fails, or its document
    /// changes too often, those before it are carried out.
    ///
    /// @param updates each of one document, by its `_id`
    public static Counts checked(
            MongoClient client,
            MongoCollection<BsonDocument> collection,
            List<WriteModel<BsonDocument>> updates,
            Consumer<BsonDocument> check) {
        if (!Transaction.isSupported(client)) {
            var raw = SessionCollection.acknowledged(collection)
                    .withReadPreference(ReadPreference.primary())
                    .withDocumentClass(RawBsonDocument.class);
            try (var dryRun = DryRun.open(client, collection.getNamespace())) {
                return new DryRunUpdates(raw, dryRun, check).run(updates);
            }
        }
        return Transaction.run(client, collection.getWriteConcern(), session -> {
            var sum = Counts.NONE;
            for (var update : updates) {
                var counts = Counts.of(collection.bulkWrite(session, List.of(update)));
                if (!counts.equals(Counts.NONE)) {
                    check.accept(Objects.requireNonNull(
                            collection.find(session, byId(update)).first()));
                }
                sum = sum.plus(counts);
            }
            return sum;
        });
    }

    /// The id in the filter of an update, as a filter.
    static BsonDocument byId(WriteModel<BsonDocument> update) {
        var filter = ((UpdateOneModel<BsonDocument>) update).getFilter().toBsonDocument();
        return new BsonDocument("_id", Objects.requireNonNull(filter.get("_id")));
    }

    private static <T> BulkWriteResult run(
            Optional<ClientSession> session,
            MongoCollection<T> collection,
            List<? extends WriteModel<T>> writes,
            BulkWriteOptions options) {
        var batches = CommandBatches.of(writes, BulkWrites::bytes);
        if (batches.size() <= 1) {
            return command(session, collection, writes, options);
        }
        boolean inTransaction =
                session.filter(ClientSession::hasActiveTransaction).isPresent();
        var sum = new BulkSum();
        for (var batch : batches) {
            try {
                sum.add(batch.size(), command(session, collection, batch, options));
            } catch (MongoBulkWriteException e) {
                sum.add(batch.size(), e);
                if (options.isOrdered() || inTransaction || e.getWriteConcernError() != null) {
                    break;
                }
            } catch (MongoException e) {
                throw sum.isEmpty() || inTransaction ? e : new UnknownOutcomeException(e);
            }
        }
        return sum.result();
    }

    private static <T> BulkWriteResult command(
            Optional<ClientSession> session,
            MongoCollection<T> collection,
            List<? extends WriteModel<T>> writes,
            BulkWriteOptions options) {
        return session.map(known -> collection.bulkWrite(known, writes, options))
                .orElseGet(() -> collection.bulkWrite(writes, options));
    }

    /// The size of a document that is inserted or replaces another one; 0 for others, which are not large.
    private static long bytes(WriteModel<?> write) {
        var document = switch (write) {
            case InsertOneModel<?> insert -> insert.getDocument();
            case ReplaceOneModel<?> replace -> replace.getReplacement();
            default -> null;
        };
        return document instanceof RawBsonDocument raw ? raw.getByteLength() : 0;
    }

    /// The results of the commands of one bulk write as that of one command. Confined to one thread.
    private static final class BulkSum {
        private final List<BulkWriteError> errors = new ArrayList<>();
        private final List<BulkWriteUpsert> upserts = new ArrayList<>();
        private final List<BulkWriteInsert> inserts = new ArrayList<>();
        private @Nullable MongoBulkWriteException last;
        private boolean acknowledged = true;
        private int tried;
        private int inserted;
        private int matched;
        private int deleted;
        private int modified;

        /// @param size the number of its statements
        void add(int size, BulkWriteResult result) {
            if (result.wasAcknowledged()) {
                inserted += result.getInsertedCount();
                matched += result.getMatchedCount();
                deleted += result.getDeletedCount();
                modified += result.getModifiedCount();
                result.getUpserts()
                        .forEach(upsert -> upserts.add(new BulkWriteUpsert(tried + upsert.getIndex(), upsert.getId())));
                result.getInserts()
                        .forEach(insert -> inserts.add(new BulkWriteInsert(tried + insert.getIndex(), insert.getId())));
            } else {
                acknowledged = false;
            }
            tried += size;
        }

        void add(int size, MongoBulkWriteException failure) {
            failure.getWriteErrors().forEach(error -> errors.add(at(tried + error.getIndex(), error)));
            add(size, failure.getWriteResult());
            last = failure;
        }

        /// Whether no document was written yet.
        boolean isEmpty() {
            return inserted + matched + deleted + upserts.size() == 0;
        }

        /// @throws MongoBulkWriteException if a command failed
        BulkWriteResult result() {
            var result = acknowledged
                    ? BulkWriteResult.acknowledged(inserted, matched, deleted, modified, upserts, inserts)
                    : BulkWriteResult.unacknowledged();
            if (last == null) {
                return result;
            }
            var failure = new MongoBulkWriteException(
                    result, errors, last.getWriteConcernError(), last.getServerAddress(), Set.of());
            last.getErrorLabels().forEach(failure::addLabel);
            throw failure;
        }
    }

    /// Updates of many documents by their ids on a server without transactions. All are carried out on
    /// copies and checked, and only then, if none is refused, once more on copies by which the documents are
    /// replaced. Confined to one request.
    ///
    /// @param check throws for a document that must not be stored; called several times for one
    private record DryRunUpdates(
            MongoCollection<RawBsonDocument> collection, DryRun dryRun, Consumer<BsonDocument> check) {
        /// @param updates each of one document, by its `_id`
        Counts run(List<WriteModel<BsonDocument>> updates) {
            var targets = new LinkedHashMap<String, Target>(); // as JSON: documents with other orders of keys are equal
            for (var update : updates) {
                var id = byId(update);
                targets.computeIfAbsent(id.toJson(), _ -> new Target(id, new ArrayList<>()))
                        .updates
                        .add(update);
            }
            targets.values().forEach(target -> result(stored(target), target));
            return targets.values().stream().map(this::replace).reduce(Counts.NONE, Counts::plus);
        }

        /// The updates of one document, in order.
        private record Target(BsonDocument byId, List<WriteModel<BsonDocument>> updates) {}

        private @Nullable RawBsonDocument stored(Target target) {
            return collection.find(target.byId).first();
        }

        private Counts replace(Target target) {
            return DryRun.untilUnchanged(() -> {
                var stored = stored(target);
                var result = result(stored, target);
                if (result.isEmpty()) {
                    return Optional.of(Counts.NONE);
                }
                var updated = result.get();
                boolean done = stored == null ? inserted(updated.document, target) : replaced(stored, updated.document);
                return done ? Optional.of(updated.counts) : Optional.empty();
            });
        }

        private boolean replaced(RawBsonDocument stored, RawBsonDocument document) {
            return BulkWrites.inOrder(
                                    Optional.empty(), collection, List.of(DryRun.replacement(stored, document, false)))
                            .getMatchedCount()
                    > 0;
        }

        /// False if the document came meanwhile.
        private boolean inserted(RawBsonDocument document, Target target) {
            try {
                var _ = BulkWrites.inOrder(Optional.empty(), collection, List.of(new InsertOneModel<>(document)));
                return true;
            } catch (MongoBulkWriteException e) {
                boolean duplicate = e.getWriteErrors().stream()
                        .anyMatch(error -> error.getCategory() == ErrorCategory.DUPLICATE_KEY);
                if (duplicate && stored(target) != null) {
                    return false;
                }
                throw e;
            }
        }

        private record Result(RawBsonDocument document, Counts counts) {}

        /// What the updates make of a document, one after the other; each result is checked. Empty if none
        /// matches.
        private Optional<Result> result(@Nullable RawBsonDocument stored, Target target) {
            var sum = new AtomicReference<>(Counts.NONE); // of the last attempt
            var result = dryRun.attempt(stored, target.byId, copies -> {
                sum.set(Counts.NONE);
                var documents = copies.collection().withDocumentClass(BsonDocument.class);
                for (var update : target.updates) {
                    var counts = Counts.of(BulkWrites.inOrder(Optional.empty(), documents, List.of(update)));
                    if (!counts.equals(Counts.NONE)) {
                        check.accept(Objects.requireNonNull(
                                documents.find(target.byId).first()));
                    }
                    sum.set(sum.get().plus(counts));
                }
                return !sum.get().equals(Counts.NONE);
            });
            return result.map(document -> new Result(document, sum.get()));
        }
    }
}
