package org.restheart.dataapi;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/// `dataApi` of the configuration.
///
/// @param uri the prefix of app id, version and action
/// @param appIds accepted app ids; empty for any
/// @param dataSources accepted data sources; empty for any
/// @param versions accepted versions
/// @param canonical whether canonical Extended JSON is the default format
/// @param roles that may use the service; empty for every account
/// @param allowKeyFromBrowsers whether scripts of browsers may send keys and passwords
/// @param linkBase begins the `link` of errors; empty for none
public record DataApiConfig(
        String uri,
        Set<String> appIds,
        Set<String> dataSources,
        Set<String> versions,
        boolean canonical,
        Limits limits,
        Inserts inserts,
        List<String> roles,
        boolean allowKeyFromBrowsers,
        String linkBase) {
    public DataApiConfig {
        appIds = Set.copyOf(appIds);
        dataSources = Set.copyOf(dataSources);
        versions = Set.copyOf(versions);
        roles = List.copyOf(roles);
    }

    /// Limits of actions.
    ///
    /// @param documents of a `find` without a limit
    /// @param mostDocuments of a `find` or an `aggregate`
    /// @param time of an action that reads or changes by a filter, if the REST API has no stricter one
    /// @param bytes of an answer
    public record Limits(int documents, int mostDocuments, Duration time, long bytes) {}

    /// How documents are inserted.
    ///
    /// @param status 200 or 201
    /// @param ordered whether an array is inserted in its order, up to the first document that fails
    /// @param createCollections whether inserts and upserts make their collection, for callers who may
    public record Inserts(int status, boolean ordered, boolean createCollections) {}
}
