package org.restheart.mongo.find;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// A query for the documents of a collection. Immutable by agreement. Its keys determine which queries may share
/// results; the query itself is not a key.
///
/// @param filter what must match, the access rule's filter first
/// @param sort empty for natural order
/// @param hint the index to use: its key document or its name
/// @param skip number of documents to skip
/// @param limit most documents; 0 for all
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

    public FindQuery slice(long skip, int limit) {
        return new FindQuery(namespace, filter, projection, sort, hint, skip, limit, settings, shortcuts);
    }

    public FindQuery with(Shortcuts shortcuts) {
        return new FindQuery(namespace, filter, projection, sort, hint, skip, limit, settings, shortcuts);
    }

    public FindQuery with(StagedFilter filter) {
        return new FindQuery(namespace, filter, projection, sort, hint, skip, limit, settings, shortcuts);
    }

    /// Whether it must be run as a pipeline: a filter of two steps, or one projection on the other's result.
    public boolean isStaged() {
        return filter.isStaged() || projection.isStaged();
    }

    public QueryKey orderKey() {
        return QueryKey.of(namespace).add(filter).add(sort).add(settings).key();
    }

    /// The key of what a cursor on the result returns.
    public QueryKey cursorKey() {
        return cursorParts().key();
    }

    /// The key of the result and the allowed shortcuts, without the requested slice.
    public QueryKey resultKey() {
        return cursorParts().add(shortcuts).key();
    }

    /// The key of the documents that it finds now, within whatever time. A first page needs no shortcut but the
    /// preparation of later ones.
    public QueryKey sharedKey() {
        boolean isFirst = skip == 0 && shortcuts.ahead() == Shortcuts.Ahead.NONE && !shortcuts.cached();
        return parts(settings.within(Duration.ZERO))
                .add(isFirst ? Shortcuts.NONE : shortcuts)
                .add(skip)
                .add(limit)
                .key();
    }

    private QueryKey.Parts cursorParts() {
        return parts(settings);
    }

    private QueryKey.Parts parts(ReadSettings settings) {
        return QueryKey.of(namespace)
                .add(filter)
                .add(projection)
                .add(sort)
                .add(hint)
                .add(settings);
    }
}
