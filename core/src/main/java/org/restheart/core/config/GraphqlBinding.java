package org.restheart.core.config;

import com.mongodb.MongoNamespace;
import java.util.List;
import java.util.Optional;
import org.restheart.graphql.GraphqlConfig;

/// `graphql`.
final class GraphqlBinding {
    private enum As {
        APP,
        CALLER
    }

    private GraphqlBinding() {}

    /// Empty when it is switched off.
    static Optional<GraphqlConfig> read(Block block, Block initializer, Block updater, Block indexes) {
        if (!block.flag("enabled", true)) {
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
                initializer.flag("enabled", true),
                updater.flag("enabled", true),
                indexes.flag("enabled", false),
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
}
