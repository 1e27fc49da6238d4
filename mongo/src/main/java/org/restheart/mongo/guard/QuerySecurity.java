package org.restheart.mongo.guard;

import java.util.Set;

/// The `filterOperatorsBlacklist` and `aggregationSecurity` blocks of the configuration.
///
/// @param forbiddenOperators refused in filters, projections, sorts and hints
/// @param pipelines what aggregations must keep to
public record QuerySecurity(Set<String> forbiddenOperators, PipelineRules pipelines) {
    public static final QuerySecurity DEFAULT =
            new QuerySecurity(Set.of("$where", "$function", "$accumulator"), PipelineRules.DEFAULT);

    public QuerySecurity {
        forbiddenOperators = Set.copyOf(forbiddenOperators);
    }
}
