package org.restheart.core.config;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.restheart.mongo.guard.PipelineRules;
import org.restheart.mongo.guard.QuerySecurity;

/// `filterOperatorsBlacklist` and `aggregationSecurity`.
final class QuerySecurityBinding {
    private static final Set<String> JAVASCRIPT = Set.of("$function", "$accumulator");

    private QuerySecurityBinding() {}

    static QuerySecurity read(Block root) {
        var pipelines = pipelines(root.component("aggregationSecurity"));
        return new QuerySecurity(
                filterOperators(root.component("filterOperatorsBlacklist"), pipelines.allowJavaScript()), pipelines);
    }

    /// What runs JavaScript is refused with the others, unless aggregations may run it too.
    private static Set<String> filterOperators(Block block, boolean allowJavaScript) {
        var operators = new HashSet<>(operators(block, "blacklist"));
        if (!block.flag("enabled", false)) {
            return Set.of();
        }
        if (!allowJavaScript) {
            operators.addAll(JAVASCRIPT);
        }
        return operators;
    }

    private static PipelineRules pipelines(Block block) {
        return new PipelineRules(
                block.flag("enabled", false),
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
