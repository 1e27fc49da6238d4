package org.restheart.dataapi;

import java.util.List;
import java.util.Set;

/// `dataApi` of the configuration.
///
/// @param uri the prefix of app id, version and action
/// @param appIds accepted app ids; empty for any
/// @param dataSources accepted data sources; empty for any
/// @param versions accepted versions
/// @param canonical whether canonical Extended JSON is the default format
/// @param insertStatus of inserts: 200 or 201
/// @param defaultLimit documents of a `find` without a limit
/// @param maxLimit most documents of a `find` or an `aggregate`
/// @param roles that may use the service; empty for every account
/// @param allowKeyFromBrowsers whether scripts of browsers may send keys and passwords
/// @param linkBase begins the `link` of errors; empty for none
public record DataApiConfig(
        String uri,
        Set<String> appIds,
        Set<String> dataSources,
        Set<String> versions,
        boolean canonical,
        int insertStatus,
        int defaultLimit,
        int maxLimit,
        List<String> roles,
        boolean allowKeyFromBrowsers,
        String linkBase) {
    public DataApiConfig {
        appIds = Set.copyOf(appIds);
        dataSources = Set.copyOf(dataSources);
        versions = Set.copyOf(versions);
        roles = List.copyOf(roles);
    }
}
