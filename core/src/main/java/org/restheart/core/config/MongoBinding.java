package org.restheart.core.config;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.restheart.http.MemoryBudget;
import org.restheart.mongo.MongoConfig;
import org.restheart.mongo.changestream.ChangeStreamConfig;
import org.restheart.mongo.coalescing.CoalescingConfig;
import org.restheart.mongo.cursor.CursorPoolConfig;
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
        boolean enabled = block.bool("enabled", true);
        int max = block.integer("max-pagesize", 1_000, 1, 1_000_000);
        int page = block.integer("default-pagesize", Math.min(100, max), 0, 1_000_000);
        if (page > max) {
            block.refuse("default-pagesize", "must be at most max-pagesize, which is " + max + ", but was " + page);
        }
        block.legacy("cursor-batch-size", "has no effect: use /cursor-batch-size, without mongo");
        Stream.of("enabled", "size", "ttl", "docs", "bytes")
                .forEach(key -> block.legacy(
                        "get-collection-cache-" + key, "has no effect: results are not kept, equal queries share one"));
        var config = new MongoConfig(
                block.uri("uri", "/"),
                mounts(block),
                block.oneOf("default-representation-format", Representation.STANDARD),
                policies(block.block("etag-check-policy")),
                Math.min(page, max),
                max,
                ttl(block, "local-cache-enabled", "local-cache-ttl"),
                ttl(block, "schema-cache-enabled", "schema-cache-ttl"),
                block.millis("query-time-limit", 30_000, 0, Integer.MAX_VALUE),
                block.millis("aggregation-time-limit", 0, 0, Integer.MAX_VALUE),
                block.millis("bulk-time-limit", setQueryTimeLimit(block), 0, Integer.MAX_VALUE),
                block.bool("aggregation-check-operators", true),
                block.bool("strict-parameters", false),
                block.optionalText("instance-base-url"),
                coalescing(block.block("coalescing"), retriesWrites),
                cursorPool(block.block("cursor-pool"), allocation(root)),
                queries,
                streams(block, root.block("changeStreamActivator").bool("enabled", true)),
                sessions(block),
                security.canAuthenticate());
        return enabled ? Optional.of(config) : Optional.empty();
    }

    /// A limit that a file sets holds for exports and changes of many documents, too, as it always did; the default
    /// does
    /// not.
    private static long setQueryTimeLimit(Block block) {
        return block.has("query-time-limit")
                ? block.millis("query-time-limit", 0, 0, Integer.MAX_VALUE).toMillis()
                : 0;
    }

    private static CoalescingConfig coalescing(Block block, boolean retriesWrites) {
        var otherwise = CoalescingConfig.DEFAULT;
        return new CoalescingConfig(
                block.bool("inserts", otherwise.inserts()),
                block.bool("updates", otherwise.updates()) && retriesWrites,
                block.bool("reads", otherwise.reads()),
                block.bool("queries", otherwise.queries()),
                block.integer("concurrent-commands", otherwise.commands(), 1, 64),
                block.integer("max-batch", otherwise.maxBatch(), 1, 10_000),
                block.integer("max-batch-bytes", otherwise.maxBatchBytes(), 1, CoalescingConfig.MAX_BATCH_BYTES),
                block.integer("max-queued", otherwise.maxQueued(), 1, 1_000_000),
                block.millis("max-wait", otherwise.maxWait().toMillis(), 1, Integer.MAX_VALUE),
                block.integer("max-queues", otherwise.maxQueues(), 1, 1_000_000),
                block.millis("queue-idle", otherwise.queueIdle().toMillis(), 1_000, Integer.MAX_VALUE),
                retriesWrites,
                block.bool("header", otherwise.header()));
    }

    private static CursorPoolConfig cursorPool(Block block, CursorPoolConfig.Allocation allocation) {
        var otherwise = CursorPoolConfig.DEFAULT;
        block.legacy("max-queries", "has no effect: use max-exact-queries");
        return new CursorPoolConfig(
                block.oneOf("mode", otherwise.mode()),
                block.integer("slice-width", otherwise.sliceWidth(), 10, 1_000_000),
                block.integer("max-exact-queries", otherwise.maxQueries(), 1, 1_000),
                MemoryBudget.Part.BOOKMARKS.or(block.longInteger("max-bytes", 0, 0, Long.MAX_VALUE)),
                block.millis("max-age", otherwise.maxAge().toMillis(), 1_000, Integer.MAX_VALUE),
                block.integer("builds", otherwise.builds(), 1, 64),
                allocation);
    }

    /// `eager-cursor-allocation-…` and `cursor-batch-size`, which are top-level keys.
    private static CursorPoolConfig.Allocation allocation(Block root) {
        var otherwise = CursorPoolConfig.Allocation.DEFAULT;
        int width =
                root.integer("eager-cursor-allocation-linear-slice-width", otherwise.linearSliceWidth(), 10, 1_000_000);
        var deltaKey = "eager-cursor-allocation-linear-slice-delta";
        int delta = root.integer(deltaKey, Math.min(otherwise.linearSliceDelta(), width - 1), 0, 1_000_000);
        if (delta >= width) {
            root.refuse(deltaKey, "must be less than linear-slice-width, which is " + width + ", but was " + delta);
        }
        return new CursorPoolConfig.Allocation(
                root.integer("eager-cursor-allocation-pool-size", otherwise.poolSize(), 0, 10_000),
                width,
                Math.min(delta, width - 1),
                heights(root, otherwise.linearSliceHeights()),
                root.integer("eager-cursor-allocation-random-max-cursors", otherwise.randomMaxCursors(), 0, 10_000),
                root.integer(
                        "eager-cursor-allocation-random-slice-min-width",
                        otherwise.randomSliceMinWidth(),
                        10,
                        1_000_000),
                root.integer("cursor-batch-size", otherwise.batchSize(), 1, 100_000));
    }

    private static List<Integer> heights(Block root, List<Integer> otherwise) {
        var key = "eager-cursor-allocation-linear-slice-heights";
        var heights = root.integers(key, otherwise, 0, 1_000);
        if (heights.size() > 100) {
            root.refuse(key, "must have at most 100 numbers but had " + heights.size());
            return otherwise;
        }
        return heights;
    }

    private static ChangeStreamConfig streams(Block block, boolean enabled) {
        var otherwise = ChangeStreamConfig.DEFAULT;
        var ttl = ttl(block, "local-cache-enabled", "local-cache-ttl");
        var keepAlive = block.millis(
                "change-streams-keep-alive-ms", otherwise.keepAlive().toMillis(), 0, 86_400_000);
        int cursors = block.integer("change-streams-max-cursors", otherwise.maxCursors(), 1, 100_000);
        return new ChangeStreamConfig(
                enabled,
                keepAlive,
                cursors,
                block.integer("change-streams-max-cursors-per-account", Math.max(2, cursors / 2), 1, 100_000),
                block.integer("change-streams-max-listeners", otherwise.maxListeners(), 1, 10_000_000),
                block.integer("change-streams-max-waiting-messages", otherwise.maxWaitingMessages(), 1, 10_000_000),
                block.longInteger("change-streams-max-waiting-bytes", otherwise.maxWaitingBytes(), 1, 1L << 40),
                waitingTogether(block, otherwise.maxWaitingTogether()),
                between(ttl, Duration.ofSeconds(1), otherwise.recheck()),
                block.millis(
                        "change-streams-recheck-ms", otherwise.recheckRights().toMillis(), 0, 86_400_000),
                block.bool("validate-streams", otherwise.validate()));
    }

    private static Sessions.Limits sessions(Block block) {
        var otherwise = Sessions.Limits.DEFAULT;
        int transactions = block.integer("max-transactions", otherwise.transactions(), 2, 1_000_000);
        return new Sessions.Limits(
                transactions,
                block.integer("max-transactions-per-account", Math.max(1, transactions / 2), 1, 1_000_000),
                block.integer("max-sessions", otherwise.sessions(), 2, 10_000_000));
    }

    private static long waitingTogether(Block block, long otherwise) {
        long bytes = block.longInteger("change-streams-max-waiting-bytes-together", 0, 0, 1L << 40);
        return bytes == 0 ? otherwise : bytes;
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
                block.oneOf("db", EtagPolicy.REQUIRED_FOR_DELETE),
                block.oneOf("coll", EtagPolicy.REQUIRED_FOR_DELETE),
                block.oneOf("doc", EtagPolicy.OPTIONAL));
    }

    /// Zero when the cache is off; a negative time means that nothing expires.
    private static Duration ttl(Block block, String enabled, String ttl) {
        boolean on = block.bool(enabled, true);
        var time = block.millis(ttl, 1_000, -1, Integer.MAX_VALUE);
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
        boolean on = block.bool("enabled", false);
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
                block.bool("allowCrossDatabaseOperations", false),
                block.bool("allowJavaScriptExecution", false));
    }

    private static List<String> operators(Block block, String key) {
        var names = block.texts(key, List.of());
        names.stream()
                .filter(name -> !name.startsWith("$"))
                .forEach(name -> block.refuse(key, "must contain names that start with $ but has " + name));
        return names;
    }
}
