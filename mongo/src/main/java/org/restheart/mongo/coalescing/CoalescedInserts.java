package org.restheart.mongo.coalescing;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.coalescing.Batching.BatchCommand;
import org.restheart.mongo.coalescing.Batching.Target;
import org.restheart.mongo.error.UnknownOutcomeException;
import org.restheart.mongo.write.BulkWrites;
import org.restheart.mongo.write.BulkWrites.Writes;
import org.restheart.mongo.write.RetryableStatements;
import org.restheart.mongo.write.TimeLimitedWrites;

/// Coalesces single documents, or small arrays of them, to one unordered insert ([Command]). Those of one caller
/// share a command, see [Target#ofCaller()]. Thread-safe.
final class CoalescedInserts {
    /// MongoDB writes as many at once (`internalInsertMaxBatchSize`); a larger command only delays its first
    /// requests.
    private static final int MAX_DOCUMENTS = 500;

    /// A request with a larger fraction of a command than this is sent separately.
    private static final int LARGE_PART = 4;

    private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

    private final Batching batching;
    private final TimeLimitedWrites limited;
    private final BlockedDocuments blocked;
    private final BatchQueues<Target, List<RawBsonDocument>, List<BulkWriteError>> queues;
    private final long largest;
    private final long leastWeight;

    private CoalescedInserts(
            Batching batching,
            String kind,
            TimeLimitedWrites limited,
            BlockedDocuments blocked,
            long largest,
            long leastWeight) {
        this.batching = batching;
        this.limited = limited;
        this.blocked = blocked;
        this.queues = batching.queues(kind);
        this.largest = largest;
        this.leastWeight = leastWeight;
    }

    /// Inserts of one document each.
    static CoalescedInserts ofOne(Batching batching, TimeLimitedWrites limited, BlockedDocuments blocked) {
        return new CoalescedInserts(batching, "insert", limited, blocked, Long.MAX_VALUE, 0);
    }

    /// Inserts of small arrays. A document counts at least its share of [#MAX_DOCUMENTS],
    /// so that the queue's bound of bytes also bounds documents.
    static CoalescedInserts ofMany(Batching batching, TimeLimitedWrites limited, BlockedDocuments blocked) {
        int bytes = batching.config().maxBatchBytes();
        return new CoalescedInserts(
                batching, "bulk_insert", limited, blocked, bytes / LARGE_PART, bytes / MAX_DOCUMENTS);
    }

    /// Whether documents may be coalesced: they are few, and none is blocked.
    boolean take(MongoNamespace namespace, List<RawBsonDocument> documents) {
        return !documents.isEmpty() && weight(documents) <= largest && !blocked.contain(namespace, documents);
    }

    /// Adds documents to the queue of their shape; never blocks.
    ///
    /// @return the errors of those that were not inserted, each with its position
    CompletableFuture<BatchResult<List<BulkWriteError>>> submit(
            MongoNamespace namespace, WriteConcern concern, List<RawBsonDocument> documents) {
        var target = new Target(namespace, concern).ofCaller();
        return queues.submit(target, () -> new Command(target), documents, (int) weight(documents));
    }

    /// In bytes.
    private long weight(List<RawBsonDocument> documents) {
        long weight = 0;
        for (var document : documents) {
            weight += Math.max(leastWeight, document.getByteLength());
        }
        return weight;
    }

    /// Inserts the documents of several requests by one unordered `insert`; each request gets the errors of its own
    /// documents. A failure of the whole command (a lost connection after the retry, an unsatisfied write concern)
    /// fails all requests that may have inserted something.
    ///
    /// A document whose `_id` an open transaction has inserted would delay all others. Therefore the command is
    /// aborted after [TimeLimitedWrites#COMMAND_MILLIS], and it is determined which documents it has inserted; the
    /// others are inserted separately for each request ([TimeLimitedWrites]). Without a replica set and retryable
    /// writes there is no limit. Thread-safe.
    private final class Command implements BatchCommand<List<RawBsonDocument>, List<BulkWriteError>> {
        private final Target target;
        private final MongoCollection<RawBsonDocument> collection;

        Command(Target target) {
            this.target = target;
            this.collection = target.collection(batching.client());
        }

        /// The documents of all requests, and where those of each begin.
        private static final class Batch {
            final List<PendingRequest<List<RawBsonDocument>, List<BulkWriteError>>> requests;
            final List<RawBsonDocument> documents = new ArrayList<>();
            final int[] from;

            Batch(List<PendingRequest<List<RawBsonDocument>, List<BulkWriteError>>> requests) {
                this.requests = requests;
                this.from = new int[requests.size() + 1];
                for (int i = 0; i < requests.size(); i++) {
                    documents.addAll(requests.get(i).request());
                    from[i + 1] = documents.size();
                }
            }

            List<BulkWriteError> errors(int request, List<BulkWriteError> all) {
                return all.stream()
                        .filter(error -> error.getIndex() >= from[request] && error.getIndex() < from[request + 1])
                        .map(error -> BulkWrites.at(error.getIndex() - from[request], error))
                        .toList();
            }
        }

        @Override
        public void run(List<PendingRequest<List<RawBsonDocument>, List<BulkWriteError>>> requests) {
            var batch = new Batch(requests);
            if (limited.areLimited()) {
                insertLimited(batch);
            } else {
                insert(batch);
            }
        }

        private void insert(Batch batch) {
            try {
                collection.insertMany(batch.documents, UNORDERED);
                complete(batch, List.of());
            } catch (MongoBulkWriteException e) {
                Batching.unsatisfied(e)
                        .ifPresentOrElse(
                                unsatisfied -> fail(batch, e.getWriteErrors(), unsatisfied),
                                () -> complete(batch, e.getWriteErrors()));
            }
        }

        private void insertLimited(Batch batch) {
            var statements = new RetryableStatements(batching.client(), "insert", target.namespace(), batch.documents);
            @Nullable Runnable later = null;
            try {
                var reply = statements.send(target.writeConcern(), TimeLimitedWrites.COMMAND_MILLIS);
                if (reply.hasPendingConcern()) {
                    later = () -> finish(batch, statements, reply.errors());
                } else if (reply.unsatisfied().isPresent()) {
                    fail(batch, reply.errors(), reply.unsatisfied().get());
                } else {
                    complete(batch, reply.errors());
                }
            } catch (MongoExecutionTimeoutException _) {
                later = () -> finish(batch, statements, List.of());
            } finally {
                Batching.endOrFinish(batch.requests, statements, later);
            }
        }

        private void complete(Batch batch, List<BulkWriteError> errors) {
            int sharing = batch.requests.size();
            for (int i = 0; i < sharing; i++) {
                var own = errors.isEmpty() ? errors : batch.errors(i, errors);
                batch.requests.get(i).complete(own, sharing);
            }
        }

        /// Fails the requests of which some documents were inserted.
        private void fail(Batch batch, List<BulkWriteError> errors, MongoException failure) {
            int sharing = batch.requests.size();
            for (int i = 0; i < sharing; i++) {
                var own = batch.errors(i, errors);
                if (own.size() == batch.from[i + 1] - batch.from[i]) {
                    batch.requests.get(i).complete(own, sharing);
                } else {
                    batch.requests.get(i).completeExceptionally(failure);
                }
            }
        }

        /// @param errors those that are known; of the other documents, each was inserted or not
        private void finish(Batch batch, RetryableStatements statements, List<BulkWriteError> errors) {
            int sharing = batch.requests.size();
            var numbers = IntStream.range(0, batch.documents.size()).boxed().toList();
            var executed = statements.executed(numbers, target.writeConcern());
            var inserted = new BitSet();
            executed.results().keySet().forEach(inserted::set);
            var others = new LinkedHashMap<PendingRequest<List<RawBsonDocument>, List<BulkWriteError>>, Runnable>();
            for (int i = 0; i < sharing; i++) {
                var pending = batch.requests.get(i);
                var known = batch.errors(i, errors);
                int from = batch.from[i];
                var left = IntStream.range(from, batch.from[i + 1])
                        .filter(number -> !inserted.get(number))
                        .map(number -> number - from)
                        .filter(index -> known.stream().noneMatch(error -> error.getIndex() == index))
                        .toArray();
                boolean some = !inserted.get(from, batch.from[i + 1]).isEmpty();
                if (some && executed.unsatisfied().isPresent()) {
                    pending.completeExceptionally(executed.unsatisfied().get());
                } else if (left.length == 0 && known.isEmpty()) {
                    pending.complete(known, sharing);
                } else if (left.length == 0) {
                    others.put(pending, () -> pending.complete(known, sharing));
                } else {
                    others.put(pending, () -> insertAlone(pending, left, known, some));
                }
            }
            if (executed.results().size() < numbers.size()) {
                try {
                    statements.end();
                } catch (RuntimeException e) { // of these only
                    others.keySet().forEach(pending -> pending.completeExceptionally(e));
                    return;
                }
            }
            others.values().forEach(Runnable::run);
        }

        /// @param left positions in the request's documents
        /// @param known errors of others
        /// @param partly whether others were inserted
        private void insertAlone(
                PendingRequest<List<RawBsonDocument>, List<BulkWriteError>> pending,
                int[] left,
                List<BulkWriteError> known,
                boolean partly) {
            var all = pending.request();
            var some = IntStream.of(left).mapToObj(all::get).toList();
            pending.completeElsewhere(() -> {
                Batching.requireTime(partly);
                var errors = new ArrayList<>(known);
                try {
                    blocked.during(target.namespace(), some, () -> limited.each(Writes.inserts(collection, some)))
                            .errors()
                            .forEach(error -> errors.add(BulkWrites.at(left[error.getIndex()], error)));
                } catch (MongoException e) {
                    throw partly ? new UnknownOutcomeException(e) : e;
                }
                return new BatchResult<>(errors, 1);
            });
        }
    }
}
