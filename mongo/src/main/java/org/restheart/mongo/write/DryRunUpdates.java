package org.restheart.mongo.write;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.WriteModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.write.BulkWrites.Counts;

/// Updates of many documents by their ids on a server without transactions. All are carried out on copies and checked,
/// and only then, if none is refused, once more on copies by which the documents are replaced. Confined to one request.
final class DryRunUpdates {
    private final MongoClient client;
    private final MongoCollection<RawBsonDocument> collection;
    private final List<Target> targets;
    private final Consumer<BsonDocument> check;

    /// @param updates each of one document, by its `_id`
    /// @param check throws for a document that must not be stored; called several times for one
    DryRunUpdates(
            MongoClient client,
            MongoCollection<BsonDocument> collection,
            List<WriteModel<BsonDocument>> updates,
            Consumer<BsonDocument> check) {
        this.client = client;
        this.collection = SessionCollection.acknowledged(collection)
                .withReadPreference(ReadPreference.primary())
                .withDocumentClass(RawBsonDocument.class);
        this.check = check;
        this.targets = targets(updates);
    }

    /// The updates of one document, in order.
    private record Target(BsonDocument byId, List<WriteModel<BsonDocument>> updates) {}

    private static List<Target> targets(List<WriteModel<BsonDocument>> updates) {
        var byId = new LinkedHashMap<String, Target>(); // as JSON: documents with other orders of keys are equal
        for (var update : updates) {
            var id = BulkWrites.byId(update);
            byId.computeIfAbsent(id.toJson(), _ -> new Target(id, new ArrayList<>()))
                    .updates
                    .add(update);
        }
        return List.copyOf(byId.values());
    }

    Counts run() {
        try (var dryRun = DryRun.open(client, collection.getNamespace())) {
            targets.forEach(target -> result(dryRun, stored(target), target));
            return targets.stream().map(target -> replace(dryRun, target)).reduce(Counts.NONE, Counts::plus);
        }
    }

    private @Nullable RawBsonDocument stored(Target target) {
        return collection.find(target.byId).first();
    }

    private Counts replace(DryRun dryRun, Target target) {
        return DryRun.untilUnchanged(() -> {
            var stored = stored(target);
            var result = result(dryRun, stored, target);
            if (result.isEmpty()) {
                return Optional.of(Counts.NONE);
            }
            var updated = result.get();
            boolean done = stored == null ? inserted(updated.document, target) : replaced(stored, updated.document);
            return done ? Optional.of(updated.counts) : Optional.empty();
        });
    }

    private boolean replaced(RawBsonDocument stored, RawBsonDocument document) {
        return BulkWrites.inOrder(Optional.empty(), collection, List.of(DryRun.replacement(stored, document, false)))
                        .getMatchedCount()
                > 0;
    }

    /// False if the document came meanwhile.
    private boolean inserted(RawBsonDocument document, Target target) {
        try {
            var _ = BulkWrites.inOrder(Optional.empty(), collection, List.of(new InsertOneModel<>(document)));
            return true;
        } catch (MongoBulkWriteException e) {
            boolean duplicate =
                    e.getWriteErrors().stream().anyMatch(error -> error.getCategory() == ErrorCategory.DUPLICATE_KEY);
            if (duplicate && stored(target) != null) {
                return false;
            }
            throw e;
        }
    }

    private record Result(RawBsonDocument document, Counts counts) {}

    /// What the updates make of a document, one after the other; each result is checked. Empty if none matches.
    private Optional<Result> result(DryRun dryRun, @Nullable RawBsonDocument stored, Target target) {
        var sum = new AtomicReference<>(Counts.NONE); // of the last attempt
        var result = dryRun.attempt(stored, target.byId, copies -> {
            sum.set(Counts.NONE);
            var documents = copies.collection().withDocumentClass(BsonDocument.class);
            for (var update : target.updates) {
                var counts = Counts.of(BulkWrites.inOrder(Optional.empty(), documents, List.of(update)));
                if (!counts.equals(Counts.NONE)) {
                    check.accept(
                            Objects.requireNonNull(documents.find(target.byId).first()));
                }
                sum.set(sum.get().plus(counts));
            }
            return !sum.get().equals(Counts.NONE);
        });
        return result.map(document -> new Result(document, sum.get()));
    }
}
