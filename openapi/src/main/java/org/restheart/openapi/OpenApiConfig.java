package org.restheart.openapi;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.restheart.http.MemoryBudget;
import org.restheart.http.module.CallerSecurity;
import org.restheart.http.module.ConfigBlock;
import org.restheart.http.module.ServiceModule;
import org.restheart.http.module.ServiceModule.Configured;
import org.restheart.http.module.ServiceModule.Context;
import org.restheart.http.module.ServicePages;
import org.restheart.rest.MongoConfig;

/// `openApi` of the configuration.
///
/// @param uri the path of the document
/// @param uiUri the path of the page that shows it; empty for none
/// @param secured whether anonymous callers without permissions are refused
/// @param sampleWait after which a document is sent without the remaining samples
/// @param maxCollections beyond which collections are not described one by one
/// @param includeServices whether services other than the data API are described
/// @param shares whether properties contain the share of documents that have them
/// @param guessFormats whether texts that all look alike, such as dates, are described by their format
/// @param everything whether access rules are ignored
/// @param everythingForAll whether that applies to all callers instead of the root role only
/// @param exclude paths that are not described, `*` for any characters
public record OpenApiConfig(
        String uri,
        Optional<String> uiUri,
        boolean secured,
        int sampleSize,
        Duration sampleTtl,
        int parallelSamples,
        Duration sampleWait,
        int maxCollections,
        long cacheBytes,
        boolean includeServices,
        boolean shares,
        boolean guessFormats,
        boolean everything,
        boolean everythingForAll,
        List<String> exclude)
        implements Configured {
    public OpenApiConfig {
        exclude = List.copyOf(exclude);
    }

    public static final class OpenApi implements ServiceModule {
        @Override
        public String block() {
            return "openApi";
        }

        @Override
        public Configured read(ConfigBlock root) {
            var block = root.block("openApi");
            return new OpenApiConfig(
                    block.uri("uri"),
                    block.isNull("ui-uri") ? Optional.empty() : Optional.of(block.uri("ui-uri")),
                    block.bool("secured"),
                    block.integer("sample-size"),
                    block.duration("sample-ttl"),
                    block.integer("parallel-samples"),
                    block.duration("wait"),
                    block.integer("max-collections"),
                    Math.min(block.integer("cache-bytes"), MemoryBudget.Part.DESCRIPTIONS.bytes()),
                    block.bool("include-services"),
                    block.bool("x-fields"),
                    block.bool("guess-formats"),
                    block.choice("mode").equals("everything"),
                    block.bool("public-document"),
                    block.texts("exclude"));
        }
    }

    @Override
    public void install(Context context) {
        context.serve(new OpenApiService(this, context), uri, false);
        uiUri.ifPresent(page -> context.find(ServicePages.class)
                .ifPresent(pages -> context.serve(pages.swaggerUi(page, uri), page, false)));
    }

    /// Properties of the server in the document.
    ///
    /// @param pageSize the default number of documents per page
    /// @param rootRole may do everything
    /// @param services paths of services other than the data API, by the names of their configuration blocks
    /// @param secrets properties of documents that are written and never read, such as passwords, by namespace
    public record Server(
            String title,
            String version,
            int pageSize,
            int maxPageSize,
            Optional<String> rootRole,
            Map<String, String> services,
            Map<String, Set<String>> secrets) {

        static Server of(Context context) {
            var data = context.get(MongoConfig.class);
            var security = context.get(CallerSecurity.class);
            return new Server(
                    context.name().equals("default") ? "RESTHeart" : context.name(),
                    context.version(),
                    data.defaultPageSize(),
                    data.maxPageSize(),
                    security.rootRole(),
                    context.uris("ping", "roles", "authTokenService", "dataApi", "mcp", "transactions"),
                    security.passwords());
        }
    }
}
