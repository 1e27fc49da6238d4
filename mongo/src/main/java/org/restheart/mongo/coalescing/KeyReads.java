package org.restheart.mongo.coalescing;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoExecutionTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.http.Lease;
import org.restheart.http.ProblemException;
import org.restheart.mongo.coalescing.Batching.BatchCommand;
import org.restheart.mongo.concern.ConnectionRetry;
import org.restheart.mongo.find.QueryKey;

/// Combines reads of documents by lists of keys, such as those to which the documents of pages refer. Thread-safe.
final class KeyReads {
    private final BatchQueues<QueryKey, KeyRead, List<List<RawBsonDocument>>> queues;
    private final int maxBatchBytes;

    KeyReads(Batching batching) {
        this.queues = batching.queues("related");
        this.maxBatchBytes = batching.config().maxBatchBytes();
    }

    /// @param bytes of the keys, as they count in a batch
    /// @param work for which the documents are read: while it holds memory, the command does not wait for more
    /// @param lease holds the documents
    record KeyRead(List<List<BsonValue>> keys, int bytes, Lease work, Lease lease) {}

    /// Never blocks.
    ///
    /// @param shape what is found depends on this and the keys alone
    CompletableFuture<BatchResult<List<List<RawBsonDocument>>>> submit(QueryKey shape, KeyReader reader, KeyRead read) {
        return queues.submit(shape, () -> new Command(reader, maxBatchBytes), read, read.bytes());
    }

    private static final class Command implements BatchCommand<KeyRead, List<List<RawBsonDocument>>> {
        /// Bytes of documents that fill a batch.
        private static final long MAX_BYTES = 8 << 20;

        private final KeyReader reader;
        private final int maxBatchBytes;

        /// The part of a full batch that a read was of late, by the number and bytes of its documents.
        private volatile double usual;

        Command(KeyReader reader, int maxBatchBytes) {
            this.reader = reader;
            this.maxBatchBytes = maxBatchBytes;
        }

        @Override
        public int bytes() {
            return (int) (Math.min(1, usual) * maxBatchBytes);
        }

        /// Other keys may have many more documents.
        @Override
        public boolean mayTakeLong() {
            return true;
        }

        @Override
        public void run(List<PendingRequest<KeyRead, List<List<RawBsonDocument>>>> requests) {
            if (requests.size() == 1) {
                var only = requests.getFirst();
                var found = ConnectionRetry.repeatedSoon(() -> alone(only.request()));
                usual = Math.max(part(found), usual * 7 / 8);
                only.complete(found, 1);
                return;
            }
            var works =
                    requests.stream().map(pending -> pending.request().work()).toList();
            try (var lease = works.getFirst().another(PendingRequest.callersOf(requests), works)) {
                var keys = new ArrayList<List<BsonValue>>();
                requests.forEach(pending -> keys.addAll(pending.request().keys()));
                var found = ConnectionRetry.repeatedSoon(() -> together(keys, lease));
                if (found.isPresent()) {
                    distribute(found.get(), requests);
                    return;
                }
            }
            usual = Math.max(2 * usual, 2.0 / requests.size());
            requests.forEach(this::readElsewhere);
        }

        private void readElsewhere(PendingRequest<KeyRead, List<List<RawBsonDocument>>> pending) {
            pending.completeElsewhere(() -> new BatchResult<>(alone(pending.request()), 0));
        }

        /// The memory is owned until the command has ended, also if nobody waits for it any more.
        private List<List<RawBsonDocument>> alone(KeyRead read) {
            if (!read.lease().tryRetain()) {
                throw Lease.full();
            }
            try {
                return reader.all(read.keys(), read.lease());
            } finally {
                read.lease().close();
            }
        }

        /// A refusal, a failure in MongoDB, or the time that it takes, may be due to one of them.
        private Optional<List<List<RawBsonDocument>>> together(List<List<BsonValue>> keys, Lease lease) {
            try {
                return reader.together(keys, lease);
            } catch (ProblemException | MongoCommandException | MongoExecutionTimeoutException _) {
                return Optional.empty();
            }
        }

        private void distribute(
                List<List<RawBsonDocument>> found,
                List<PendingRequest<KeyRead, List<List<RawBsonDocument>>>> requests) {
            int from = 0;
            double largest = 0;
            for (var pending : requests) {
                int to = from + pending.request().keys().size();
                var mine = found.subList(from, to);
                from = to;
                largest = Math.max(largest, part(mine));
                if (pending.request().lease().tryHold(bytes(mine))) {
                    pending.complete(mine, requests.size());
                } else {
                    readElsewhere(pending); // it waits for memory without the others
                }
            }
            usual = Math.max(largest, usual * 7 / 8);
        }

        /// The part of a full batch that a read was.
        private static double part(List<List<RawBsonDocument>> found) {
            int documents = found.stream().mapToInt(List::size).sum();
            return Math.max(2.0 * documents / KeyReader.MAX_DOCUMENTS, 1.0 * bytes(found) / MAX_BYTES);
        }

        private static long bytes(List<List<RawBsonDocument>> found) {
            return found.stream()
                    .flatMap(List::stream)
                    .mapToLong(RawBsonDocument::getByteLength)
                    .sum();
        }
    }
}
