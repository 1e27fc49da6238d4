package org.restheart.mongo.find;

import com.mongodb.MongoNamespace;

/// A query for the number of documents. Immutable by agreement.
///
/// @param filter what must match; empty to count all
/// @param estimated take the number from the collection's metadata: at once, but only nearly right after a
///     crash or with shards; there is no estimate for a filter
/// @param limit where counting ends; 0 for nowhere
public record CountQuery(
        MongoNamespace namespace, StagedFilter filter, boolean estimated, int limit, ReadSettings settings) {
    public CountQuery {
        if (estimated && !filter.isEmpty()) {
            throw new IllegalArgumentException("there is no estimate for a filter");
        }
    }
}
