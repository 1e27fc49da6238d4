package org.restheart.http.judged;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;

/// Lists databases and collections regardless of the caller: a service that shows them must evaluate access rules
/// for each. Without reserved names. Queries MongoDB each time and blocks for it. Thread-safe.
public interface DataCatalog {
    /// The order of names in lists: [String#compareTo] puts characters beyond U+FFFF before some of the others.
    Comparator<String> BY_CODE_POINT =
            Comparator.comparing(name -> name.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    /// The names of all databases, in [#BY_CODE_POINT].
    List<String> databases();

    /// The collections of a database, in [#BY_CODE_POINT] of their names; none if the database does not exist.
    List<Entry> collections(String database);

    /// The JSON Schema (`$jsonSchema`) of MongoDB's validator of a collection; empty if it has none.
    Optional<BsonDocument> validator(String database, String collection);

    /// A collection.
    ///
    /// @param kind `collection`, `view` or `timeseries`
    record Entry(String name, String kind) {}
}
