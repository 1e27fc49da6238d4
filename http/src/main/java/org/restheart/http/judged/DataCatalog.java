package org.restheart.http.judged;

import java.util.List;

/// The contents of MongoDB, for all callers: services that list it must ask access rules about each collection. Names
/// that the server keeps for itself are left out. Asks MongoDB each time; waits for it. Thread-safe.
public interface DataCatalog {
    /// By name.
    List<String> databases();

    /// By name; empty for a database that is not there.
    List<Entry> collections(String database);

    /// @param kind `collection`, `view` or `timeseries`, as MongoDB says
    record Entry(String name, String kind) {}
}
