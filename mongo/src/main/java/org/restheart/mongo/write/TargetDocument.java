package org.restheart.mongo.write;

import static com.mongodb.client.model.Projections.include;

import com.mongodb.ReadPreference;
import com.mongodb.client.MongoCollection;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.Update;
import org.restheart.mongo.find.HarmlessFilter;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.mongo.write.DocumentWrite.Change;
import org.restheart.mongo.write.WriteOutcome.Changed;
import org.restheart.mongo.write.WriteOutcome.Duplicate;
import org.restheart.mongo.write.WriteOutcome.Missing;
import org.restheart.mongo.write.WriteOutcome.Refused;
import org.restheart.mongo.write.WriteOutcome.Stale;

/// The document that a write is meant for, whether it exists or not, and what must hold of it: as filters of MongoDB,
/// and as checks of what is stored. Confined to one request.
///
/// @param collection writes are acknowledged
/// @param others conditions beside the id: the client's filter, the shard key, the access rule's filter; may be empty
/// @param file whether it is the document of a file, whose tag is in its metadata
public record TargetDocument(
        SessionCollection collection, BsonValue id, BsonDocument others, Precondition precondition, boolean file) {
    /// Many of them take seconds in an array of 16 MiB.
    private static final int MOST_COMPARISONS = 200;

    public TargetDocument {
        collection = collection.acknowledged();
    }

    public TargetDocument(SessionCollection collection, BsonValue id, BsonDocument others, Precondition precondition) {
        this(collection, id, others, precondition, false);
    }

    /// Without further conditions.
    public TargetDocument(MongoCollection<RawBsonDocument> collection, BsonValue id, Precondition precondition) {
        this(new SessionCollection(collection, Optional.empty()), id, new BsonDocument(), precondition);
    }

    /// The document of a file.
    ///
    /// @param others any may be empty
    public static TargetDocument file(
            SessionCollection collection, BsonValue id, List<BsonDocument> others, Precondition precondition) {
        var conditions = others.stream().filter(other -> !other.isEmpty()).toList();
        return new TargetDocument(collection, id, StagedFilter.all(conditions), precondition, true);
    }

    /// @param document with its `_id`
    public DocumentWrite replacing(RawBsonDocument document, WriteMode mode) {
        return new DocumentWrite(this, new Change.Replacement(document), mode);
    }

    /// Updates the target; in the modes that create, updates an empty document. The id is kept where MongoDB would not
    /// take it from the filter.
    public DocumentWrite updating(Update update, WriteMode mode) {
        var sent = sent(mode);
        boolean notFromFilter = sent == WriteMode.INSERT || (sent == WriteMode.UPSERT && !others.isEmpty());
        return new DocumentWrite(this, new Change.Fields(notFromFilter ? Ids.kept(update, id) : update), mode);
    }

    public DocumentWrite deleting() {
        return new DocumentWrite(this, new Change.Removal(), WriteMode.UPDATE);
    }

    /// Determines whether the document may be written, without writing it.
    ///
    /// @return [Missing] if it does not exist, [Changed] if it may be written
    public WriteOutcome preview() {
        var found = find();
        if (found.isPresent()) {
            return refusal(found.get()).<WriteOutcome>map(refused -> refused).orElseGet(Changed::new);
        }
        return idExists() ? taken() : new Missing();
    }

    static Duplicate taken() {
        return new Duplicate("E11000 duplicate key error: the id is taken");
    }

    /// Whether there is no precondition, so that a document that does not match is missing.
    boolean hasNoPrecondition() {
        return precondition instanceof Precondition.None;
    }

    /// The mode in which MongoDB executes the write: nothing is created if the document must exist.
    WriteMode sent(WriteMode mode) {
        return precondition.requiresExistence() ? WriteMode.UPDATE : mode;
    }

    WriteOutcome missing(WriteMode mode) {
        return mode != WriteMode.UPDATE && precondition.requiresExistence()
                ? new Stale(Optional.empty(), precondition)
                : new Missing();
    }

    /// The filter of a write: id, further conditions and precondition. In mode `INSERT` it matches no document, but
    /// sets the id of an upserted one.
    BsonDocument filter(WriteMode mode) {
        if (mode == WriteMode.INSERT) {
            return Ids.equal(id).append(EntityTags.FIELD, new BsonDocument("$in", new BsonArray()));
        }
        var filter = Ids.equal(id, others);
        precondition.condition().ifPresent(condition -> filter.append(tagField(), condition));
        return filter;
    }

    @Nullable
    BsonDocument hint() {
        return Ids.hint(others);
    }

    /// Whether the filter takes so little time that other requests may wait for a command that contains it.
    boolean mayShareCommand() {
        return !collection.inSession() && !file && HarmlessFilter.is(others) && comparisons(others) <= MOST_COMPARISONS;
    }

    /// How often a filter looks at all elements of an array, at most.
    private static long comparisons(BsonValue filter) {
        return switch (filter) {
            case BsonDocument document ->
                document.entrySet().stream()
                        .mapToLong(entry -> switch (entry.getKey()) {
                            case "$in", "$nin" -> 1; // in a sorted list
                            default -> 1 + comparisons(entry.getValue());
                        })
                        .sum();
            case BsonArray array ->
                array.stream().mapToLong(element -> 1 + comparisons(element)).sum();
            default -> 0;
        };
    }

    /// The stored document with its `_id` and its tag only, whatever the precondition. Empty if there is none.
    Optional<RawBsonDocument> find() {
        return read(Ids.equal(id, others));
    }

    /// Whether there is a document with this id, whatever the further conditions.
    boolean idExists() {
        return read(Ids.equal(id)).isPresent();
    }

    /// Why the precondition does not allow a write of the document; empty if it does.
    Optional<Refused> refusal(BsonDocument found) {
        return precondition.refusal(EntityTags.of(file ? EntityTags.holderInFile(found) : found));
    }

    private String tagField() {
        return file ? "metadata." + EntityTags.FIELD : EntityTags.FIELD;
    }

    /// Reads from the primary, which the write was sent to.
    private Optional<RawBsonDocument> read(BsonDocument filter) {
        return Optional.ofNullable(collection
                .with(ReadPreference.primary())
                .find(filter)
                .hint(hint())
                .projection(include(tagField()))
                .first());
    }
}
