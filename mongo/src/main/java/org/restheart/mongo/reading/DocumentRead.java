package org.restheart.mongo.reading;

import com.mongodb.MongoNamespace;
import org.restheart.mongo.find.QueryKey;

/// A read of documents from one collection.
sealed interface DocumentRead permits ReadQuery, ReadPipeline {
    MongoNamespace namespace();

    /// Adds everything that determines the result, except the collection.
    ///
    /// @return the same parts
    QueryKey.Parts addTo(QueryKey.Parts parts);

    /// The key of the result: reads with equal keys have the same.
    default QueryKey key() {
        return addTo(QueryKey.of(namespace())).key();
    }
}
