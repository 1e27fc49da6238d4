package org.restheart.openapi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// `openApi` of the configuration.
///
/// @param uri where the document is served
/// @param secured whether anonymous callers who may do nothing are refused
/// @param sampleWait how long a document waits for samples before it is sent without them
/// @param maxCollections beyond which collections are not described one by one
/// @param cacheBytes of documents that are kept
/// @param includeServices whether services beside the data API are described
/// @param shares whether properties tell how many documents have them
/// @param everything whether access rules are left aside
/// @param everythingForAll whether that holds for others than the root role
/// @param exclude paths that are not described, `*` for any characters
public record OpenApiConfig(
        String uri,
        boolean secured,
        int sampleSize,
        Duration sampleTtl,
        int parallelSamples,
        Duration sampleWait,
        int maxCollections,
        long cacheBytes,
        boolean includeServices,
        boolean shares,
        boolean everything,
        boolean everythingForAll,
        List<String> exclude) {
    public OpenApiConfig {
        exclude = List.copyOf(exclude);
    }

    /// What the document says of the server besides its data.
    ///
    /// @param title names the API
    /// @param version of the gateway
    /// @param baseUrl by which clients know the server; empty for what they call it
    /// @param pageSize documents per page when the client does not say
    /// @param maxPageSize the largest page
    /// @param rootRole may do everything
    /// @param services paths of services beside the data API, by the names of their blocks in the configuration
    public record Server(
            String title,
            String version,
            Optional<String> baseUrl,
            int pageSize,
            int maxPageSize,
            Optional<String> rootRole,
            java.util.Map<String, String> services) {}
}
