package org.restheart.core.config;

import com.mongodb.MongoNamespace;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.restheart.console.ConsoleConfig;
import org.restheart.dataapi.DataApiConfig;
import org.restheart.graphql.GraphqlConfig;
import org.restheart.http.MemoryBudget;
import org.restheart.mcp.McpConfig;
import org.restheart.mongo.importing.ImportConfig;
import org.restheart.openapi.OpenApiConfig;

/// Reads the blocks of services that are optional: GraphQL, the Atlas Data API, OpenAPI, the Model Context Protocol,
/// the console, imports.
final class ServiceBindings {
    private static final List<String> VERSIONS = List.of("v1", "beta");

    private static final int MCP_MAX_DOCUMENTS = 1_000;
    private static final int MCP_MAX_BYTES = 4 << 20;

    private static final long IMPORT_BYTES_PER_ACCOUNT = 10L << 30;
    private static final long IMPORT_BYTES = 40L << 30;

    private enum As {
        APP,
        CALLER
    }

    private enum Mode {
        PERMISSIONS,
        EVERYTHING
    }

    private ServiceBindings() {}

    /// `graphql`; empty when it is switched off.
    static Optional<GraphqlConfig> graphql(Block root) {
        var block = root.block("graphql");
        if (!block.bool("enabled", true)) {
            return Optional.empty();
        }
        block.legacy("app-def-cache-ttl", "has no effect: use app-cache-ttr");
        var answers = answers(block);
        return Optional.of(new GraphqlConfig(
                block.uri("uri", "/graphql"),
                definitions(block),
                block.texts("app-writers", List.of()),
                block.bool("app-cache-enabled", true),
                block.millis("app-cache-ttr", 60_000, 10, Integer.MAX_VALUE),
                root.block("graphAppsInitializer").bool("enabled", true),
                root.block("graphAppsUpdater").bool("enabled", true),
                root.block("createIndexesOnGqlApps").bool("enabled", false),
                answers,
                queries(block),
                block.bool("restrict-mapping-db", false),
                block.oneOf("mappings-read-as", As.APP) == As.CALLER,
                block.bool("args-check-operators", true),
                block.bool("strict-scalars", false)));
    }

    private static MongoNamespace definitions(Block block) {
        return new MongoNamespace(block.text("db", "restheart"), block.text("collection", "gqlapps"));
    }

    private static GraphqlConfig.Answers answers(Block block) {
        var otherwise = GraphqlConfig.Answers.DEFAULT;
        int max = block.integer("max-limit", otherwise.maxLimit(), 1, 1_000_000);
        int usual = block.integer("default-limit", Math.min(otherwise.defaultLimit(), max), 1, 1_000_000);
        if (usual > max) {
            block.refuse("default-limit", "must be at most max-limit, which is " + max + ", but was " + usual);
        }
        return new GraphqlConfig.Answers(
                Math.min(usual, max),
                max,
                block.integer("aggregation-max-results", otherwise.aggregationMaxResults(), 0, 100_000_000),
                block.millis("query-time-limit", 0, 0, Integer.MAX_VALUE),
                block.integer("max-response-bytes", otherwise.maxBytes(), 1_024, Integer.MAX_VALUE),
                block.bool("verbose", otherwise.verbose()));
    }

    private static GraphqlConfig.Queries queries(Block block) {
        var otherwise = GraphqlConfig.Queries.DEFAULT;
        block.legacy("query-cache-characters", "has no effect: use query-cache-bytes");
        return new GraphqlConfig.Queries(
                block.bool("introspection", otherwise.introspection()),
                block.integer("max-depth", otherwise.maxDepth(), 0, 200),
                block.integer("max-complexity", otherwise.maxComplexity(), 0, Integer.MAX_VALUE),
                block.integer("max-aliases", otherwise.maxAliases(), 0, Integer.MAX_VALUE),
                block.bool("persisted-documents-only", otherwise.onlyStored()),
                block.integer("max-tokens", otherwise.maxTokens(), 10, 1_000_000),
                block.integer("max-query-length", otherwise.maxCharacters(), 100, 16 << 20),
                block.integer("query-cache-bytes", otherwise.cachedBytes(), 0, 1 << 30));
    }

    /// `dataApi`; empty when it is switched off.
    static Optional<DataApiConfig> dataApi(Block block) {
        if (!block.bool("enabled", false)) {
            return Optional.empty();
        }
        var versions = block.texts("versions", VERSIONS);
        if (!VERSIONS.containsAll(versions)) {
            block.refuse("versions", "must be some of " + VERSIONS + " but was " + versions);
        }
        var type = block.text("return-type", "JSON");
        if (!type.equals("JSON") && !type.equals("EJSON")) {
            block.refuse("return-type", "must be JSON or EJSON but was " + type);
        }
        int status = block.integer("insert-status", 201, 200, 201);
        return Optional.of(new DataApiConfig(
                block.uri("uri", "/app"),
                Set.copyOf(block.texts("app-ids", List.of())),
                Set.copyOf(block.texts("data-sources", List.of())),
                Set.copyOf(versions),
                type.equals("EJSON"),
                new DataApiConfig.Limits(
                        block.integer("default-limit", 1_000, 1, 1_000_000),
                        block.integer("max-limit", 50_000, 1, 1_000_000),
                        block.millis("time-limit", 300_000, 0, Integer.MAX_VALUE),
                        block.longInteger("max-response-bytes", 350L << 20, 1, Long.MAX_VALUE)),
                new DataApiConfig.Inserts(
                        status, block.bool("ordered-inserts", false), block.bool("create-collections", false)),
                block.texts("roles", List.of()),
                block.bool("allow-key-from-browsers", false),
                block.optionalText("link-base").orElse("")));
    }

    /// `openApi`; empty when it is switched off.
    static Optional<OpenApiConfig> openApi(Block block) {
        if (!block.bool("enabled", true)) {
            return Optional.empty();
        }
        return Optional.of(new OpenApiConfig(
                block.uri("uri", "/_openapi"),
                block.isNull("ui-uri") ? Optional.empty() : Optional.of(block.uri("ui-uri", "/_openapi-ui")),
                block.bool("secured", true),
                block.integer("sample-size", 200, 0, 1_000),
                block.millis("sample-ttl", 3_600_000, 1_000, Integer.MAX_VALUE),
                block.integer("parallel-samples", 2, 1, 100),
                block.millis("wait", 3_000, 0, 60_000),
                block.integer("max-collections", 200, 0, 100_000),
                Math.min(
                        block.integer("cache-bytes", 32 << 20, 0, Integer.MAX_VALUE),
                        MemoryBudget.Part.DESCRIPTIONS.bytes()),
                block.bool("include-services", true),
                block.bool("x-fields", true),
                block.bool("guess-formats", false),
                block.oneOf("mode", Mode.PERMISSIONS) == Mode.EVERYTHING,
                block.bool("public-document", false),
                block.texts("exclude", List.of())));
    }

    /// `mcp`; empty when it is switched off.
    ///
    /// @param loopback whether all listeners are bound to loopback addresses
    static Optional<McpConfig> mcp(Block block, boolean loopback) {
        if (!block.bool("enabled", false)) {
            return Optional.empty();
        }
        var tools = block.texts("tools", List.of());
        if (!McpConfig.toolNames().containsAll(tools)) {
            block.refuse("tools", "must be some of " + McpConfig.toolNames() + " but was " + tools);
        }
        var writing = new McpConfig.Writing(
                block.bool("confirm", true),
                block.integer("confirm-above", 1, 0, Integer.MAX_VALUE),
                block.bool("require-elicitation", false));
        return Optional.of(new McpConfig(
                block.uri("uri", "/_mcp"),
                Set.copyOf(tools),
                block.texts("allowed-origins", List.of()),
                loopback,
                baseUrl(block),
                block.bool("read-only", true) ? Optional.empty() : Optional.of(writing),
                sizes(block),
                block.millis("time-limit", 30_000, 100, 300_000),
                block.integer("count-limit", 1_000_000, 1, Integer.MAX_VALUE - 1),
                block.bool("explain-executes", false),
                scanLimit(block),
                block.bool("audit", true),
                block.bool("audit-values", false),
                block.integer("calls-per-minute", 120, 1, 1_000_000),
                block.integer("concurrent-calls", 8, 1, 10_000)));
    }

    private static Optional<Integer> scanLimit(Block block) {
        int limit = block.integer("scan-limit", 10_000, 0, Integer.MAX_VALUE - 1);
        return block.bool("refuse-collection-scans", false) ? Optional.of(limit) : Optional.empty();
    }

    private static McpConfig.Sizes sizes(Block block) {
        int maxDocuments = block.integer("max-documents", 100, 1, MCP_MAX_DOCUMENTS);
        int maxBytes = block.integer("max-bytes", 262_144, 1_024, MCP_MAX_BYTES);
        return new McpConfig.Sizes(
                Math.min(block.integer("default-documents", 10, 1, MCP_MAX_DOCUMENTS), maxDocuments),
                maxDocuments,
                Math.min(block.integer("default-bytes", 32_768, 1_024, MCP_MAX_BYTES), maxBytes),
                maxBytes,
                block.integer("max-string", 1_000, 10, 1 << 20),
                block.bool("structured-documents", false));
    }

    /// The key `base-url` of a block, without slashes at the end.
    static Optional<String> baseUrl(Block block) {
        var url = block.optionalText("base-url").map(text -> text.replaceFirst("/+$", ""));
        url.ifPresent(text -> {
            try {
                var uri = new URI(text);
                if (uri.getHost() == null || uri.getScheme() == null) {
                    block.refuse("base-url", "must be a URL such as https://db.example but was " + text);
                }
            } catch (URISyntaxException _) {
                block.refuse("base-url", "must be a URL such as https://db.example but was " + text);
            }
        });
        return url;
    }

    /// `console`; empty when it is switched off.
    ///
    /// @param name of this instance
    /// @param loopback whether this machine alone can reach the server
    static Optional<ConsoleConfig> console(Block block, String name, boolean loopback) {
        if (!block.bool("enabled", loopback)) {
            return Optional.empty();
        }
        var pages = block.texts("pages", ConsoleConfig.PAGES);
        if (!ConsoleConfig.PAGES.containsAll(pages)) {
            block.refuse("pages", "must be some of " + ConsoleConfig.PAGES + " but was " + pages);
        }
        return Optional.of(new ConsoleConfig(
                block.uri("uri", "/_console"),
                block.optionalText("title").orElse(name),
                block.optionalText("banner").map(text -> new ConsoleConfig.Banner(text, color(block))),
                block.bool("read-only", false),
                pages.isEmpty() ? ConsoleConfig.PAGES : pages));
    }

    private static String color(Block block) {
        var color = block.text("banner-color", "red");
        if (!ConsoleConfig.COLORS.contains(color)) {
            block.refuse("banner-color", "must be one of " + ConsoleConfig.COLORS + " but was " + color);
        }
        return color;
    }

    /// `imports`; empty when it is switched off.
    static Optional<ImportConfig> imports(Block block) {
        return block.bool("enabled", true)
                ? Optional.of(new ImportConfig(
                        block.uri("uri", "/_imports"),
                        block.text("db", "restheart"),
                        block.integer("max-per-account", 4, 1, 1_000),
                        block.longInteger("max-bytes-per-account", IMPORT_BYTES_PER_ACCOUNT, 1, Long.MAX_VALUE),
                        block.longInteger("max-bytes", IMPORT_BYTES, 1, Long.MAX_VALUE)))
                : Optional.empty();
    }
}
