package org.restheart.mongo.coalescing;

import com.mongodb.MongoNamespace;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.mongo.write.DocumentWrite;

/// The documents with a write that was moved out of its batch command because it took too long. While it runs,
/// further writes of the document join no batch command. Contains only documents of requests in progress. Thread-safe.
final class BlockedDocuments {
    private final ConcurrentHashMap<Document, Integer> writes = new ConcurrentHashMap<>();

    private record Document(MongoNamespace namespace, BsonValue id) {
        static Document of(DocumentWrite write) {
            return new Document(write.namespace(), write.target().id());
        }

        static Document of(MongoNamespace namespace, RawBsonDocument document) {
            return new Document(namespace, Objects.requireNonNull(document.get("_id")));
        }
    }

    boolean contain(DocumentWrite write) {
        return !writes.isEmpty() && writes.containsKey(Document.of(write));
    }

    /// Whether they contain one of these.
    boolean contain(MongoNamespace namespace, List<RawBsonDocument> documents) {
        return !writes.isEmpty()
                && documents.stream().anyMatch(document -> writes.containsKey(Document.of(namespace, document)));
    }

    <O> O during(DocumentWrite write, Supplier<O> alone) {
        return during(List.of(Document.of(write)), alone);
    }

    <O> O during(MongoNamespace namespace, List<RawBsonDocument> documents, Supplier<O> alone) {
        return during(
                documents.stream()
                        .map(document -> Document.of(namespace, document))
                        .toList(),
                alone);
    }

    private <O> O during(List<Document> documents, Supplier<O> alone) {
        documents.forEach(document -> writes.merge(document, 1, Integer::sum));
        try {
            return alone.get();
        } finally {
            documents.forEach(
                    document -> writes.computeIfPresent(document, (_, count) -> count == 1 ? null : count - 1));
        }
    }
}
