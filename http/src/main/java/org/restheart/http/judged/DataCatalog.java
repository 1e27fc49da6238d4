package org.restheart.http.judged;

import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;

/// Lists databases and collections regardless of the caller: a service that shows them must evaluate access rules
/// for each. Without reserved names. Queries MongoDB each time and blocks for it. Thread-safe.
public interface DataCatalog {
    /// The names of all databases, in [NameOrder#BY_CODE_POINT].
    List<String> databases();

    /// The collections of a database, in [NameOrder#BY_CODE_POINT] of their names; none if the database does not exist.
    List<Entry> collections(String database);

    /// The JSON Schema (`$jsonSchema`) of MongoDB's validator of a collection; empty if it has none.
    Optional<BsonDocument> validator(String database, String collection);

    /// A collection.
    ///
    /// @param kind `collection`, `view` or `timeseries`
    record Entry(String name, String kind) {}
}
