package org.restheart.mongo.coalescing;

import java.util.List;
import org.bson.RawBsonDocument;

/// The documents in the form of a service.
public interface FindResult {
    /// As they are stored; of several reads in one command, those of each.
    record Documents(List<List<RawBsonDocument>> results) implements FindResult {}

    /// A streamed page can be read only once.
    default boolean canBeShared() {
        return true;
    }

    /// Ends what will not be read: a streamed page has a cursor in MongoDB.
    default void discard() {}
}
