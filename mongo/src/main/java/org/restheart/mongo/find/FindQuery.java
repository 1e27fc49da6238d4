package org.restheart.mongo.find;

import com.mongodb.MongoNamespace;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// A question for the documents of a collection. Immutable by agreement, compares by value.
///
/// @param filter everything that must match, the access rule's filter included
/// @param sort empty for natural order
/// @param hint the index to use: its key document or its name
/// @param skip how many documents to leave out first
/// @param limit at most so many documents; 0 for all
public record FindQuery(
        MongoNamespace namespace,
        BsonDocument filter,
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
            BsonDocument filter,
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
    public FindQuery with(BsonDocument filter) {
        return new FindQuery(namespace, filter, projection, sort, hint, skip, limit, settings, shortcuts);
    }
}
