package org.restheart.core.config;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.restheart.http.MemoryBudget;
import org.restheart.mongo.MongoConfig;
import org.restheart.mongo.changestream.ChangeStreamConfig;
import org.restheart.mongo.coalescing.CoalescingConfig;
import org.restheart.mongo.cursor.CursorPoolConfig;
import org.restheart.mongo.guard.IndexCheck;
import org.restheart.mongo.guard.QuerySecurity;
import org.restheart.mongo.guard.QuerySecurity.PipelineRules;
import org.restheart.mongo.parameter.FormatParameters.Representation;
import org.restheart.mongo.resource.Mounts.Mount;
import org.restheart.mongo.session.Sessions;
import org.restheart.mongo.write.Preconditions.EtagPolicies;
import org.restheart.mongo.write.Preconditions.EtagPolicies.EtagPolicy;

/// `mongo`: the data API.
final class MongoBinding {
    /// Longer than the lifetime of any process.
    private static final Duration FOREVER = Duration.ofDays(36_500);

    private static final Set<String> JAVASCRIPT = Set.of("$function", "$accumulator");
    private static final List<Mount> DEFAULT_MOUNTS = List.of(new Mount("/restheart", "/"));

    private MongoBinding() {}

    /// Empty when the data API is switched off.
    ///
    /// @param retriesWrites whether the connection string allows retryable writes
    static Optional<MongoConfig> read(Block root, boolean retriesWrites, SecurityConfig security) {
        var queries = querySecurity(root, security);
        var block = root.block("mongo");
        boolean enabled = block.bool("enabled");
        int max = block.integer("max-pagesize");
        int page = block.integer("default-pagesize", Math.min(block.defaultOf("default-pagesize"), max));
        if (page > max) {
            block.refuse("default-pagesize", "must be at most max-pagesize, which is " + max + ", but was " + page);
        }
        var config = new MongoConfig(
                block.uri("uri"),
                mounts(block),
                block.oneOf("default-representation-format", Representation.class),
                policies(block.block("etag-check-policy")),
                Math.min(page, max),
                max,
                ttl(block, "local-cache-enabled", "local-cache-ttl"),
                ttl(block, "schema-cache-enabled", "schema-cache-ttl"),
                block.duration("query-time-limit"),
                block.duration("aggregation-time-limit"),
                block.duration("bulk-time-limit", setQueryTimeLimit(block)),
                block.bool("aggregation-check-operators"),
                block.bool("strict-parameters"),
                block.optionalText("instance-base-url"),
                coalescing(block.block("coalescing"), retriesWrites),
                cursorPool(block.block("cursor-pool"), allocation(root)),
                queries,
                new IndexCheck.Settings(
                        block.oneOf("require-index", IndexCheck.Mode.class), block.integer("require-index-above")),
                streams(block, root.block("changeStreamActivator").bool("enabled")),
                sessions(block),
                security.canAuthenticate());
        return enabled ? Optional.of(config) : Optional.empty();
    }

    /// A limit that a file sets holds for exports and changes of many documents, too; the default does not.
    private static Duration setQueryTimeLimit(Block block) {
        return block.has("query-time-limit") ? block.duration("query-time-limit") : Duration.ZERO;
    }

    private static CoalescingConfig coalescing(Block block, boolean retriesWrites) {
        return new CoalescingConfig(
                block.bool("inserts"),
                block.bool("updates") && retriesWrites,
                block.bool("reads"),
                block.bool("queries"),
                block.integer("concurrent-commands"),
                block.integer("max-batch"),
                block.integer("max-batch-bytes"),
                block.integer("max-queued"),
                block.duration("max-wait"),
                retriesWrites,
                block.bool("header"));
    }

    private static CursorPoolConfig cursorPool(Block block, CursorPoolConfig.Allocation allocation) {
        return new CursorPoolConfig(
                block.oneOf("mode", CursorPoolConfig.Mode.class),
                block.integer("slice-width"),
                block.integer("max-exact-queries"),
                MemoryBudget.Part.BOOKMARKS.or(block.longInteger("max-bytes")),
                block.duration("max-age"),
                allocation);
    }

    /// `eager-cursor-allocation-…` and `cursor-batch-size`, which are top-level keys.
    private static CursorPoolConfig.Allocation allocation(Block root) {
        int width = root.integer("eager-cursor-allocation-linear-slice-width");
        var deltaKey = "eager-cursor-allocation-linear-slice-delta";
        int delta = root.integer(deltaKey, Math.min(root.defaultOf(deltaKey), width - 1));
        if (delta >= width) {
            root.refuse(deltaKey, "must be less than linear-slice-width, which is " + width + ", but was " + delta);
        }
        return new CursorPoolConfig.Allocation(
                root.integer("eager-cursor-allocation-pool-size"),
                width,
                Math.min(delta, width - 1),
                heights(root),
                root.integer("eager-cursor-allocation-random-max-cursors"),
                root.integer("eager-cursor-allocation-random-slice-min-width"),
                root.integer("cursor-batch-size"));
    }

    private static List<Integer> heights(Block root) {
        var key = "eager-cursor-allocation-linear-slice-heights";
        var heights = root.integers(key);
        if (heights.size() > 100) {
            root.refuse(key, "must have at most 100 numbers but had " + heights.size());
            return List.of();
        }
        return heights;
    }

    private static ChangeStreamConfig streams(Block block, boolean enabled) {
        var ttl = ttl(block, "local-cache-enabled", "local-cache-ttl");
        int cursors = block.integer("change-streams-max-cursors");
        return new ChangeStreamConfig(
                enabled,
                block.duration("change-streams-keep-alive-ms"),
                cursors,
                block.integer("change-streams-max-cursors-per-account", Math.max(2, cursors / 2)),
                block.integer("change-streams-max-listeners"),
                block.integer("change-streams-max-waiting-messages"),
                block.longInteger("change-streams-max-waiting-bytes"),
                MemoryBudget.Part.PUSHES.or(block.longInteger("change-streams-max-waiting-bytes-together")),
                between(ttl, Duration.ofSeconds(1), Duration.ofMinutes(1)),
                block.duration("change-streams-recheck-ms"),
                block.bool("validate-streams"));
    }

    private static Sessions.Limits sessions(Block block) {
        int transactions = block.integer("max-transactions");
        return new Sessions.Limits(
                transactions,
                block.integer("max-transactions-per-account", Math.max(1, transactions / 2)),
                block.integer("max-sessions"));
    }

    private static Duration between(Duration time, Duration least, Duration most) {
        return time.compareTo(least) < 0 ? least : time.compareTo(most) > 0 ? most : time;
    }

    private static List<Mount> mounts(Block block) {
        if (!block.has("mongo-mounts")) {
            return DEFAULT_MOUNTS;
        }
        return block.blocks("mongo-mounts").stream()
                .map(mount -> new Mount(what(mount), mount.requiredUri("where")))
                .toList();
    }

    private static String what(Block mount) {
        var what = mount.requiredText("what");
        return what.isEmpty() ? "*" : what;
    }

    private static EtagPolicies policies(Block block) {
        return new EtagPolicies(
                block.oneOf("db", EtagPolicy.class),
                block.oneOf("coll", EtagPolicy.class),
                block.oneOf("doc", EtagPolicy.class));
    }

    /// Zero when the cache is off; a negative time means that nothing expires.
    private static Duration ttl(Block block, String enabled, String ttl) {
        boolean on = block.bool(enabled, true);
        var time = block.duration(ttl);
        if (!on) {
            return Duration.ZERO;
        }
        return time.isNegative() ? FOREVER : time;
    }

    /// `filterOperatorsBlacklist` and `aggregationSecurity`.
    ///
    /// @param security names the collections of accounts and permissions
    private static QuerySecurity querySecurity(Block root, SecurityConfig security) {
        var pipelines = pipelines(root.block("aggregationSecurity"));
        return new QuerySecurity(
                filterOperators(root.block("filterOperatorsBlacklist"), pipelines.allowJavaScript()),
                pipelines,
                Set.copyOf(operators(root.block("aggregationSecurity"), "additionalOperators")),
                withheld(security));
    }

    private static boolean isOn(Block block) {
        boolean on = block.bool("enabled");
        if (!on && block.has("enabled")) {
            block.advise("enabled", "is false: what callers send is not protected by it");
        }
        return on;
    }

    /// Operators that run JavaScript are refused too, unless aggregations may run it.
    private static Set<String> filterOperators(Block block, boolean allowJavaScript) {
        var operators = new HashSet<>(operators(block, "blacklist"));
        if (!isOn(block)) {
            return Set.of();
        }
        if (!allowJavaScript) {
            operators.addAll(JAVASCRIPT);
        }
        return operators;
    }

    private static Set<MongoNamespace> withheld(SecurityConfig security) {
        var withheld = new HashSet<>(security.reserved());
        security.mongoRealm()
                .map(SecurityStores.MongoRealmConfig::users)
                .ifPresent(users -> withheld.add(new MongoNamespace(users.database(), users.collection())));
        security.mongoAcl().ifPresent(acl -> withheld.add(new MongoNamespace(acl.database(), acl.collection())));
        return withheld;
    }

    private static PipelineRules pipelines(Block block) {
        return new PipelineRules(
                isOn(block),
                Set.copyOf(operators(block, "stageBlacklist")),
                Set.copyOf(operators(block, "operatorBlacklist")),
                block.bool("allowCrossDatabaseOperations"),
                block.bool("allowJavaScriptExecution"));
    }

    private static List<String> operators(Block block, String key) {
        var names = block.texts(key);
        names.stream()
                .filter(name -> !name.startsWith("$"))
                .forEach(name -> block.refuse(key, "must contain names that start with $ but has " + name));
        return names;
    }
}
