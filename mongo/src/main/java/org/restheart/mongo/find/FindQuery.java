package org.restheart.mongo.find;

import com.mongodb.MongoNamespace;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// A question for the documents of a collection. Immutable by agreement. Its keys tell who may share
/// what; it is none itself.
///
/// @param filter what must match, the access rule's filter first
/// @param sort empty for natural order
/// @param hint the index to use: its key document or its name
/// @param skip how many documents to leave out first
/// @param limit at most so many documents; 0 for all
public record FindQuery(
        MongoNamespace namespace,
        StagedFilter filter,
        Projection projection,
        BsonDocument sort,
        Optional<BsonValue> hint,
        long skip,
        int limit,
        ReadSettings settings,
        Shortcuts shortcuts) {

    /// Without shortcuts.
    public FindQuery(
            MongoNamespace namespace,
            StagedFilter filter,
            Projection projection,
            BsonDocument sort,
            Optional<BsonValue> hint,
            long skip,
            int limit,
            ReadSettings settings) {
        this(namespace, filter, projection, sort, hint, skip, limit, settings, Shortcuts.NONE);
    }

    /// The same question for another slice.
    public FindQuery slice(long skip, int limit) {
        return new FindQuery(namespace, filter, projection, sort, hint, skip, limit, settings, shortcuts);
    }

    /// The same question, answered in another way.
    public FindQuery with(Shortcuts shortcuts) {
        return new FindQuery(namespace, filter, projection, sort, hint, skip, limit, settings, shortcuts);
    }

    /// The same question for other documents.
    public FindQuery with(StagedFilter filter) {
        return new FindQuery(namespace, filter, projection, sort, hint, skip, limit, settings, shortcuts);
    }

    /// Whether only a pipeline can answer it: a filter of two steps, or one projection on the other's result.
    public boolean isStaged() {
        return filter.isStaged() || projection.isStaged();
    }

    /// What decides which document is at which position.
    public QueryKey orderKey() {
        return QueryKey.of(namespace).add(filter).add(sort).add(settings).key();
    }

    /// What decides what a cursor on the result shows.
    public QueryKey cursorKey() {
        return cursorParts().key();
    }

    /// What decides the result and how it may be got, but not which piece of it is asked for.
    public QueryKey resultKey() {
        return cursorParts().add(shortcuts).key();
    }

    /// Everything.
    QueryKey.Parts parts() {
        return cursorParts().add(shortcuts).add(skip).add(limit);
    }

    private QueryKey.Parts cursorParts() {
        return QueryKey.of(namespace)
                .add(filter)
                .add(projection)
                .add(sort)
                .add(hint)
                .add(settings);
    }
}
