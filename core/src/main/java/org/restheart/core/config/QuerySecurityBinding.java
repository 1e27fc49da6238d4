package org.restheart.core.config;

import com.mongodb.MongoNamespace;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.restheart.mongo.guard.PipelineRules;
import org.restheart.mongo.guard.QuerySecurity;

/// `filterOperatorsBlacklist` and `aggregationSecurity`.
final class QuerySecurityBinding {
    private static final Set<String> JAVASCRIPT = Set.of("$function", "$accumulator");

    private QuerySecurityBinding() {}

    /// @param security names the collections of accounts and permissions
    static QuerySecurity read(Block root, SecurityConfig security) {
        var pipelines = pipelines(root.block("aggregationSecurity"));
        return new QuerySecurity(
                filterOperators(root.block("filterOperatorsBlacklist"), pipelines.allowJavaScript()),
                pipelines,
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
                .map(MongoRealmConfig::users)
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
