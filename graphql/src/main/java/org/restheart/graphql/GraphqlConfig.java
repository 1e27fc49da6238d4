package org.restheart.graphql;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.restheart.graphql.app.Apps;
import org.restheart.http.MemoryBudget;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.module.CallerSecurity;
import org.restheart.http.module.ConfigBlock;
import org.restheart.http.module.ServiceModule;
import org.restheart.http.module.ServiceModule.Configured;
import org.restheart.http.module.ServiceModule.Context;
import org.restheart.http.module.SubscriptionObserver;
import org.restheart.mongo.background.DefinitionStore;
import org.restheart.rest.MongoConfig;
import org.restheart.rest.MongoService;
import org.restheart.rest.changestream.ChangeStreams;

/// The `graphql` section of the configuration.
///
/// @param uri where apps are bound
/// @param definitions the collection of app definitions
/// @param writers roles that may write definitions; empty for all accounts with a permission to write them
/// @param cached whether apps are cached, and the interval in which they are compared with their definitions
/// @param compilesAtStart whether all apps are compiled in the background at start
/// @param revalidates whether apps are compared at all
/// @param indexed whether the paths of apps have a unique index, made at start
public record GraphqlConfig(
        String uri,
        MongoNamespace definitions,
        List<String> writers,
        boolean cached,
        Duration revalidation,
        boolean compilesAtStart,
        boolean revalidates,
        boolean indexed,
        Answers answers,
        Queries queries,
        boolean restrictMappingDb,
        boolean asCaller,
        boolean checkOperators,
        boolean strictScalars)
        implements Configured {

    public static final class Graphql implements ServiceModule {
        @Override
        public String block() {
            return "graphql";
        }

        @Override
        public Configured read(ConfigBlock root) {
            var block = root.block("graphql");
            return new GraphqlConfig(
                    block.uri("uri"),
                    new MongoNamespace(block.text("db"), block.text("collection")),
                    block.texts("app-writers"),
                    block.bool("app-cache-enabled"),
                    block.duration("app-cache-ttr"),
                    root.block("graphAppsInitializer").bool("enabled"),
                    root.block("graphAppsUpdater").bool("enabled"),
                    root.block("createIndexesOnGqlApps").bool("enabled"),
                    answers(block),
                    queries(block),
                    block.bool("restrict-mapping-db"),
                    block.choice("mappings-read-as").equals("caller"),
                    block.bool("args-check-operators"),
                    block.bool("strict-scalars"));
        }

        private static Answers answers(ConfigBlock block) {
            int max = block.integer("max-limit");
            int usual = block.integer("default-limit", Math.min(block.defaultOf("default-limit"), max));
            if (usual > max) {
                block.refuse("default-limit", "must be at most max-limit, which is " + max + ", but was " + usual);
            }
            return new Answers(
                    Math.min(usual, max),
                    max,
                    block.integer("aggregation-max-results"),
                    block.duration("query-time-limit"),
                    block.integer("max-response-bytes"),
                    block.bool("verbose"),
                    block.bool("extended-scalars"));
        }

        private static Queries queries(ConfigBlock block) {
            return new Queries(
                    block.bool("introspection"),
                    block.integer("max-depth"),
                    block.integer("max-complexity"),
                    block.integer("max-aliases"),
                    block.bool("persisted-documents-only"),
                    block.integer("max-tokens"),
                    block.integer("max-query-length"));
        }
    }

    @Override
    public void install(Context context) {
        var data = context.get(MongoService.class);
        var security = context.get(CallerSecurity.class);
        var store = context.get(DefinitionStore.class);
        var hidden = new HashMap<MongoNamespace, BsonDocument>();
        security.secrets().forEach((name, projection) -> hidden.put(new MongoNamespace(name), projection));
        var reserved = security.reserved().stream().map(MongoNamespace::new).collect(Collectors.toUnmodifiableSet());
        var apps = new GraphqlService(
                this,
                changed -> store.follow(definitions.getCollectionName(), "GraphQL apps", changed),
                data.reads(),
                context.get(MemoryBudget.class),
                new SourceAccess(data::pathOf, context.get(JudgedRequests.class), Map.copyOf(hidden), reserved),
                bounds(context),
                context.get(SubscriptionObserver.class));
        context.atStop(apps::close);
        context.watch(apps.meter());
        context.guard(apps.guard());
        context.serve(apps, uri, true);
        if (indexed) {
            store.index(definitions);
        }
    }

    private static GraphqlService.PushBounds bounds(Context context) {
        var streams = context.get(MongoConfig.class).streams();
        var listeners = context.get(ChangeStreams.class);
        return new GraphqlService.PushBounds(
                streams.keepAlive(),
                streams.maxListeners(),
                streams.maxWaitingMessages(),
                streams.maxWaitingBytes(),
                listeners.budget(),
                listeners.authorizations());
    }

    /// Limits of responses.
    ///
    /// @param timeLimit of a request; zero for none
    /// @param aggregationMaxResults of one pipeline; 0 for no bound
    /// @param maxBytes of a response, of the documents that are read for it, and of memory while it is computed
    /// @param verbose whether responses contain statistics of loading
    /// @param extendedDates whether a `DateTime` is Extended JSON, else ISO 8601
    public record Answers(
            int defaultLimit,
            int maxLimit,
            int aggregationMaxResults,
            Duration timeLimit,
            int maxBytes,
            boolean verbose,
            boolean extendedDates) {}

    /// Limits of queries. 0 for no limit, except for the last two.
    ///
    /// @param maxComplexity fields, with those of fragments wherever they are spread
    /// @param onlyStored refuse queries that are not stored in a definition
    public record Queries(
            boolean introspection,
            int maxDepth,
            int maxComplexity,
            int maxAliases,
            boolean onlyStored,
            int maxTokens,
            int maxCharacters) {
        public static final Queries DEFAULT = new Queries(true, 50, 10_000, 500, false, 15_000, 128 << 10);
    }

    Apps.Limits limits(String database) {
        return new Apps.Limits(
                answers.maxLimit(),
                restrictMappingDb ? Optional.of(database) : Optional.empty(),
                asCaller,
                !checkOperators,
                strictScalars);
    }
}
