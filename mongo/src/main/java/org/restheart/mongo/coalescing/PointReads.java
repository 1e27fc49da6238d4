package org.restheart.mongo.coalescing;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.http.Lease;
import org.restheart.mongo.coalescing.Batching.BatchCommand;
import org.restheart.mongo.concern.ConnectionRetry;
import org.restheart.mongo.find.DocumentQuery;
import org.restheart.mongo.find.DocumentSizes;
import org.restheart.mongo.find.DocumentSizes.Size;
import org.restheart.mongo.find.QueryKey;

/// Combines reads by `_id` to one `{_id: {$in: […]}}`. Thread-safe.
final class PointReads {
    /// How long the thread of a connection waits for MongoDB.
    private static final Duration INLINE_LIMIT = Duration.ofMillis(100);

    private final MongoClient client;
    private final BatchQueues<QueryKey, Read, Optional<RawBsonDocument>> queues;

    private final DocumentSizes sizes;
    private final BiFunction<DocumentQuery, Lease, Optional<RawBsonDocument>> alone;

    /// @param alone reads one document by a command of its own, and waits for memory
    PointReads(
            Batching batching, DocumentSizes sizes, BiFunction<DocumentQuery, Lease, Optional<RawBsonDocument>> alone) {
        this.sizes = sizes;
        this.alone = alone;
        this.client = batching.client();
        this.queues = batching.queues("read");
    }

    record Read(BsonValue id, Lease lease) {}

    /// Whether a read can be coalesced: its id is distinguishable and the results contain their ids. The collection
    /// must be plain, too.
    static boolean fits(DocumentQuery query) {
        if (query.projection().isStaged()
                || query.filter().isStaged()
                || CanonicalId.of(query.id()).isEmpty()) {
            return false;
        }
        var keepsId = query.projection().single().get("_id");
        return keepsId == null || (keepsId.isNumber() && keepsId.asNumber().intValue() == 1);
    }

    /// Adds the query to the queue of its shape; never blocks.
    CompletableFuture<BatchResult<Optional<RawBsonDocument>>> submit(DocumentQuery query, Lease lease) {
        return queues.submit(query.shapeKey(), () -> command(query), new Read(query.id(), lease), 0);
    }

    /// The same for queries that differ only in their ids, in one command.
    List<PendingRequest<Read, Optional<RawBsonDocument>>> submitAll(List<DocumentQuery> queries, Lease lease) {
        var query = queries.getFirst();
        return queues.submitAll(
                query.shapeKey(),
                () -> command(query),
                queries.stream().map(each -> new Read(each.id(), lease)).toList());
    }

    private ReadCommand command(DocumentQuery query) {
        return new ReadCommand(client, query, sizes.of(query.namespace()), alone);
    }

    /// @param shape one of the reads, whose id is ignored
    /// @param isInline whether a thread that must not wait for long runs it
    private record ReadCommand(
            MongoCollection<RawBsonDocument> collection,
            DocumentQuery shape,
            Size size,
            BiFunction<DocumentQuery, Lease, Optional<RawBsonDocument>> alone,
            boolean isInline)
            implements BatchCommand<Read, Optional<RawBsonDocument>> {
        ReadCommand(
                MongoClient client,
                DocumentQuery shape,
                Size size,
                BiFunction<DocumentQuery, Lease, Optional<RawBsonDocument>> alone) {
            this(
                    shape.settings()
                            .apply(client.getDatabase(shape.namespace().getDatabaseName())
                                    .getCollection(shape.namespace().getCollectionName(), RawBsonDocument.class)),
                    shape,
                    size,
                    alone,
                    false);
        }

        /// The driver's limit of an operation includes selecting a server, getting a connection, and reading from it;
        /// the limit of the command, which is longer, has no effect then.
        @Override
        public Optional<BatchCommand<Read, Optional<RawBsonDocument>>> inline() {
            if (!size.isKnown()) {
                return Optional.empty();
            }
            var within = collection.withTimeout(INLINE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            return Optional.of(new ReadCommand(within, shape, size, alone, true));
        }

        /// The memory that a read takes: a batch is bounded by it, since its command refers to all that it
        /// has found. Of documents of which nothing is known, each is read alone.
        @Override
        public int bytes() {
            return size.isKnown() ? Size.COPIES * size.one() : (int) size.reading(1);
        }

        /// What each read needs is taken before the command is sent, and corrected with its document.
        @Override
        public void run(List<PendingRequest<Read, Optional<RawBsonDocument>>> requests) {
            size.reading(() -> {
                owned(requests);
                return true;
            });
        }

        private void owned(List<PendingRequest<Read, Optional<RawBsonDocument>>> requests) {
            long expected = bytes();
            var owned = new ArrayList<PendingRequest<Read, Optional<RawBsonDocument>>>(requests.size());
            var waiting = new HashMap<Object, List<PendingRequest<Read, Optional<RawBsonDocument>>>>();
            try {
                for (var pending : requests) {
                    if (hold(pending, expected)) {
                        owned.add(pending);
                        var id = CanonicalId.of(pending.request().id()).orElseThrow();
                        waiting.computeIfAbsent(id, _ -> new ArrayList<>(1)).add(pending);
                    }
                }
                int sharing = requests.size();
                if (isInline) {
                    read(waiting, expected, sharing);
                } else {
                    ConnectionRetry.repeated(() -> read(waiting, expected, sharing));
                }
                waiting.values().forEach(them -> complete(them, Optional.empty(), expected, sharing));
                waiting.clear();
            } finally {
                waiting.values()
                        .forEach(them -> them.forEach(
                                pending -> pending.request().lease().correct(expected, 0)));
                owned.forEach(pending -> pending.request().lease().close());
            }
        }

        /// Whoever has no memory now waits for it without the others.
        private boolean hold(PendingRequest<Read, Optional<RawBsonDocument>> pending, long expected) {
            var lease = pending.request().lease();
            if (!lease.tryRetain()) {
                pending.completeExceptionally(Lease.full()); // its client has gone
                return false;
            }
            if (!lease.tryHold(expected)) {
                lease.close();
                readAlone(pending);
                return false;
            }
            return true;
        }

        private void readAlone(PendingRequest<Read, Optional<RawBsonDocument>> pending) {
            var read = pending.request();
            var query = new DocumentQuery(
                    shape.namespace(), read.id(), shape.filter(), shape.projection(), shape.settings());
            pending.completeElsewhere(() -> new BatchResult<>(alone.apply(query, read.lease()), 0));
        }

        /// Completes one read after the other: documents are not kept until all are there.
        ///
        /// @param waiting reads by id, of which those that are complete are removed
        /// @return how many documents there were
        private int read(
                Map<Object, List<PendingRequest<Read, Optional<RawBsonDocument>>>> waiting,
                long expected,
                int sharing) {
            int found = 0;
            if (waiting.isEmpty()) {
                return found;
            }
            var find = collection
                    .find(filter(waiting))
                    .projection(shape.projection().single())
                    .maxTime(shape.settings().timeLimit().toMillis(), TimeUnit.MILLISECONDS)
                    .batchSize(waiting.size() + 1); // one more than the largest result: one reply if it is small
            long bytes = 0;
            try (var documents = find.cursor()) {
                while (documents.hasNext()) {
                    var document = documents.next();
                    found++;
                    bytes += document.getByteLength();
                    RawDocuments.get(document, "_id")
                            .flatMap(CanonicalId::of)
                            .map(waiting::remove)
                            .ifPresent(them -> complete(them, Optional.of(document), expected, sharing));
                }
            }
            size.saw(bytes, found);
            return found;
        }

        private BsonDocument filter(Map<Object, List<PendingRequest<Read, Optional<RawBsonDocument>>>> waiting) {
            BsonValue ids;
            if (waiting.size() == 1) {
                ids = waiting.values().iterator().next().getFirst().request().id();
            } else {
                var in = new BsonArray(waiting.size());
                waiting.values()
                        .forEach(them -> in.add(them.getFirst().request().id()));
                ids = new BsonDocument("$in", in);
            }
            var filter = new BsonDocument("_id", ids);
            var others = shape.filter().single();
            return others.isEmpty() ? filter : filter.append("$and", new BsonArray(List.of(others)));
        }

        private void complete(
                List<PendingRequest<Read, Optional<RawBsonDocument>>> requests,
                Optional<RawBsonDocument> found,
                long expected,
                int sharing) {
            var result = new BatchResult<>(found, sharing);
            for (var pending : requests) {
                var lease = pending.request().lease();
                lease.correct(expected, 0);
                if (lease.tryHold(held(found))) {
                    pending.complete(result);
                } else {
                    readAlone(pending); // it is larger than was expected
                }
            }
        }
    }

    /// What a request holds until it has encoded the document.
    static long held(Optional<RawBsonDocument> found) {
        return found.map(document -> (Size.COPIES - 1L) * document.getByteLength())
                .orElse(0L);
    }
}
