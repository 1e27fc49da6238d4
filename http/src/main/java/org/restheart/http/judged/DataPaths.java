package org.restheart.http.judged;

import java.util.Optional;
import org.bson.BsonValue;
import org.restheart.http.Connection;

/// Where the REST API shows MongoDB's resources, for services that translate into its requests. Thread-safe.
public interface DataPaths {
    /// The path of a collection through the longest mount that shows it; empty if none does, or for a name that means
    /// something else in a path.
    ///
    /// @param connection mounts may depend on the name that the client calls the server by
    Optional<String> ofCollection(Connection connection, String database, String collection);

    /// What to add to a collection's path for one of its documents: a segment, and a query if the segment alone could
    /// mean another id. Empty for an id that no path can name.
    Optional<String> ofId(BsonValue id);
}
