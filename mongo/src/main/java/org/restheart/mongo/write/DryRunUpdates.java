package org.restheart.mongo.write;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.WriteModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.bson.BsonValue;
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
    private record Target(BsonValue id, List<WriteModel<BsonDocument>> updates) {}

    private static List<Target> targets(List<WriteModel<BsonDocument>> updates) {
        var byId = new LinkedHashMap<String, Target>(); // as JSON: documents with other orders of keys are equal
        for (var update : updates) {
            var filter = ((UpdateOneModel<BsonDocument>) update).getFilter().toBsonDocument();
            var id = Objects.requireNonNull(filter.get("_id"));
            byId.computeIfAbsent(new BsonDocument("_id", id).toJson(), _ -> new Target(id, new ArrayList<>()))
                    .updates
                    .add(update);
        }
        return List.copyOf(byId.values());
    }

    Counts run() {
        try (var dryRun = DryRun.open(client, collection.getNamespace())) {
            targets.forEach(target -> result(dryRun, stored(target.id), target));
            long matched = 0;
            long made = 0;
            for (var target : targets) {
                var counts = replace(dryRun, target);
                matched += counts.matched();
                made += counts.made();
            }
            return new Counts(matched, made);
        }
    }

    private @Nullable RawBsonDocument stored(BsonValue id) {
        return collection.find(new BsonDocument("_id", id)).first();
    }

    private Counts replace(DryRun dryRun, Target target) {
        return DryRun.untilUnchanged(() -> {
            var stored = stored(target.id);
            var result = result(dryRun, stored, target);
            if (result.isEmpty()) {
                return Optional.of(new Counts(0, 0));
            }
            var updated = result.get();
            boolean done = stored == null ? inserted(updated.document, target.id) : replaced(stored, updated.document);
            return done ? Optional.of(updated.counts) : Optional.empty();
        });
    }

    private boolean replaced(RawBsonDocument stored, RawBsonDocument document) {
        return BulkWrites.inOrder(Optional.empty(), collection, List.of(DryRun.replacement(stored, document, false)))
                        .getMatchedCount()
                > 0;
    }

    /// False if the document came meanwhile.
    private boolean inserted(RawBsonDocument document, BsonValue id) {
        try {
            var _ = BulkWrites.inOrder(Optional.empty(), collection, List.of(new InsertOneModel<>(document)));
            return true;
        } catch (MongoBulkWriteException e) {
            boolean duplicate =
                    e.getWriteErrors().stream().anyMatch(error -> error.getCategory() == ErrorCategory.DUPLICATE_KEY);
            if (duplicate && stored(id) != null) {
                return false;
            }
            throw e;
        }
    }

    private record Result(RawBsonDocument document, Counts counts) {}

    /// What the updates make of a document, one after the other; each result is checked. Empty if none matches.
    private Optional<Result> result(DryRun dryRun, @Nullable RawBsonDocument stored, Target target) {
        var byId = new BsonDocument("_id", target.id);
        long[] counts = new long[2];
        var result = dryRun.attempt(stored, byId, copies -> {
            var documents = copies.collection().withDocumentClass(BsonDocument.class);
            for (var update : target.updates) {
                var counted = Counts.of(BulkWrites.inOrder(Optional.empty(), documents, List.of(update)));
                counts[0] += counted.matched();
                counts[1] += counted.made();
                if (counted.matched() + counted.made() > 0) {
                    check.accept(Objects.requireNonNull(documents.find(byId).first()));
                }
            }
            return counts[0] + counts[1] > 0;
        });
        return result.map(document -> new Result(document, new Counts(counts[0], counts[1])));
    }
}
