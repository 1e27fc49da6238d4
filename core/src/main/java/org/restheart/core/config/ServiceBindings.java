package org.restheart.core.config;

import com.mongodb.MongoNamespace;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.restheart.dataapi.DataApiConfig;
import org.restheart.graphql.GraphqlConfig;
import org.restheart.http.module.ServiceModule;
import org.restheart.http.module.ServiceModule.Configured;
import org.restheart.mcp.McpConfig;
import org.restheart.mongo.importing.ImportConfig;

/// Reads the blocks of services that are optional.
final class ServiceBindings {
    private enum As {
        APP,
        CALLER
    }

    /// The jars of modules by their blocks.
    private static final Map<String, String> JARS = new TreeMap<>(Map.of(
            "access", "restheart-openapi",
            "console", "restheart-console",
            "graphiql", "restheart-console",
            "openApi", "restheart-openapi"));

    private static final Map<String, ServiceModule> MODULES =
            ServiceLoader.load(ServiceModule.class, ServiceModule.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .collect(Collectors.toMap(ServiceModule::block, Function.identity()));

    private ServiceBindings() {}

    /// The services of [ServiceModule]s that are on, by their blocks. One that is on by default is off without its
    /// jar; one that is asked for is refused.
    ///
    /// @param loopback whether this machine alone can reach the server
    static Map<String, Configured> modules(Block root, boolean loopback) {
        var read = new TreeMap<String, Configured>();
        JARS.forEach((name, jar) -> {
            var block = root.block(name);
            var module = MODULES.get(name);
            boolean isOn =
                    name.equals("console") ? block.bool("enabled", loopback && module != null) : block.bool("enabled");
            if (isOn && module != null) {
                read.put(name, module.read(root));
            } else if (isOn && block.isChosen("enabled")) {
                block.refuse("enabled", "is true, but the class path has no " + jar + ".jar");
            } else if (isOn) {
                block.advise("enabled", "has no effect: the class path has no " + jar + ".jar");
            }
        });
        return Collections.unmodifiableMap(read);
    }

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
