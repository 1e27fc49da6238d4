package org.restheart.mongo.coalescing;

import com.mongodb.MongoNamespace;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.bson.BsonValue;
import org.restheart.mongo.write.DocumentWrite;

/// Documents a write of which has left its command because that took too long: as long as it is under way, further
/// writes of them join no command. Holds at most as many as there are requests. Thread-safe.
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
