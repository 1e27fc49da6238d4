package org.restheart.core.config;

import com.mongodb.MongoNamespace;
import java.net.URI;
import java.net.URISyntaxException;
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
        if (!block.bool("enabled")) {
            return Optional.empty();
        }
        var answers = answers(block);
        return Optional.of(new GraphqlConfig(
                block.uri("uri"),
                definitions(block),
                block.texts("app-writers"),
                block.bool("app-cache-enabled"),
                block.duration("app-cache-ttr"),
                root.block("graphAppsInitializer").bool("enabled"),
                root.block("graphAppsUpdater").bool("enabled"),
                root.block("createIndexesOnGqlApps").bool("enabled"),
                answers,
                queries(block),
                block.bool("restrict-mapping-db"),
                block.oneOf("mappings-read-as", As.class) == As.CALLER,
                block.bool("args-check-operators"),
                block.bool("strict-scalars")));
    }

    private static MongoNamespace definitions(Block block) {
        return new MongoNamespace(block.text("db"), block.text("collection"));
    }

    private static GraphqlConfig.Answers answers(Block block) {
        int max = block.integer("max-limit");
        int usual = block.integer("default-limit", Math.min(block.defaultOf("default-limit"), max));
        if (usual > max) {
            block.refuse("default-limit", "must be at most max-limit, which is " + max + ", but was " + usual);
        }
        return new GraphqlConfig.Answers(
                Math.min(usual, max),
                max,
                block.integer("aggregation-max-results"),
                block.duration("query-time-limit"),
                block.integer("max-response-bytes"),
                block.bool("verbose"),
                block.bool("extended-scalars"));
    }

    private static GraphqlConfig.Queries queries(Block block) {
        return new GraphqlConfig.Queries(
                block.bool("introspection"),
                block.integer("max-depth"),
                block.integer("max-complexity"),
                block.integer("max-aliases"),
                block.bool("persisted-documents-only"),
                block.integer("max-tokens"),
                block.integer("max-query-length"));
    }

    /// `dataApi`; empty when it is switched off.
    static Optional<DataApiConfig> dataApi(Block block) {
        if (!block.bool("enabled")) {
            return Optional.empty();
        }
        return Optional.of(new DataApiConfig(
                block.uri("uri"),
                Set.copyOf(block.texts("app-ids")),
                Set.copyOf(block.texts("data-sources")),
                Set.copyOf(block.texts("versions")),
                block.choice("return-type").equals("EJSON"),
                new DataApiConfig.Limits(
                        block.integer("default-limit"),
                        block.integer("max-limit"),
                        block.duration("time-limit"),
                        block.longInteger("max-response-bytes")),
                new DataApiConfig.Inserts(
                        block.integer("insert-status"),
                        block.bool("ordered-inserts"),
                        block.bool("create-collections")),
                block.texts("roles"),
                block.bool("allow-key-from-browsers"),
                block.optionalText("link-base").orElse("")));
    }

    /// `openApi`; empty when it is switched off.
    static Optional<OpenApiConfig> openApi(Block block) {
        if (!block.bool("enabled")) {
            return Optional.empty();
        }
        return Optional.of(new OpenApiConfig(
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
                block.oneOf("mode", Mode.class) == Mode.EVERYTHING,
                block.bool("public-document"),
                block.texts("exclude")));
    }

    /// `mcp`; empty when it is switched off.
    ///
    /// @param loopback whether all listeners are bound to loopback addresses
    static Optional<McpConfig> mcp(Block block, boolean loopback) {
        if (!block.bool("enabled")) {
            return Optional.empty();
        }
        var tools = block.texts("tools");
        if (!McpConfig.toolNames().containsAll(tools)) {
            block.refuse("tools", "must be some of " + McpConfig.toolNames() + " but was " + tools);
        }
        var writing = new McpConfig.Writing(
                block.bool("confirm"), block.integer("confirm-above"), block.bool("require-elicitation"));
        return Optional.of(new McpConfig(
                block.uri("uri"),
                Set.copyOf(tools),
                block.texts("allowed-origins"),
                loopback,
                baseUrl(block),
                block.bool("read-only") ? Optional.empty() : Optional.of(writing),
                sizes(block),
                block.duration("time-limit"),
                block.integer("count-limit"),
                block.bool("explain-executes"),
                scanLimit(block),
                block.bool("audit"),
                block.bool("audit-values"),
                block.integer("calls-per-minute"),
                block.integer("concurrent-calls")));
    }

    private static Optional<Integer> scanLimit(Block block) {
        int limit = block.integer("scan-limit");
        return block.bool("refuse-collection-scans") ? Optional.of(limit) : Optional.empty();
    }

    private static McpConfig.Sizes sizes(Block block) {
        int maxDocuments = block.integer("max-documents");
        int maxBytes = block.integer("max-bytes");
        return new McpConfig.Sizes(
                Math.min(block.integer("default-documents"), maxDocuments),
                maxDocuments,
                Math.min(block.integer("default-bytes"), maxBytes),
                maxBytes,
                block.integer("max-string"),
                block.bool("structured-documents"));
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
        var pages = block.texts("pages");
        return Optional.of(new ConsoleConfig(
                block.uri("uri"),
                block.optionalText("title").orElse(name),
                block.optionalText("banner").map(text -> new ConsoleConfig.Banner(text, block.choice("banner-color"))),
                block.bool("read-only"),
                pages.isEmpty() ? ConsoleConfig.PAGES : pages));
    }

    /// `imports`; empty when it is switched off.
    static Optional<ImportConfig> imports(Block block) {
        return block.bool("enabled")
                ? Optional.of(new ImportConfig(
                        block.uri("uri"),
                        block.text("db"),
                        block.integer("max-per-account"),
                        block.longInteger("max-bytes-per-account"),
                        block.longInteger("max-bytes")))
                : Optional.empty();
    }
}
