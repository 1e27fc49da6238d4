package org.restheart.mongo.coalescing;

import com.mongodb.MongoNamespace;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.bson.BsonValue;
import org.restheart.mongo.write.DocumentWrite;

/// The documents with a write that was moved out of its batch command because it took too long. While it runs,
/// further writes of the document join no batch command. Contains at most one document per request. Thread-safe.
final class BlockedDocuments {
    private final ConcurrentHashMap<Document, Integer> writes = new ConcurrentHashMap<>();

    private record Document(MongoNamespace namespace, BsonValue id) {
        static Document of(DocumentWrite<?> write) {
            return new Document(write.namespace(), write.id());
        }
    }

    boolean contain(DocumentWrite<?> write) {
        return !writes.isEmpty() && writes.containsKey(Document.of(write));
    }

    <O> O during(DocumentWrite<?> write, Supplier<O> alone) {
        var document = Document.of(write);
        writes.merge(document, 1, Integer::sum);
        try {
            return alone.get();
        } finally {
            writes.computeIfPresent(document, (_, count) -> count == 1 ? null : count - 1);
        }
    }
}
