package org.restheart.mongo.guard;

import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/// The restrictions of aggregations. Names are compared without regard to case. Immutable.
///
/// @param enabled false allows every pipeline
/// @param stages refused, also in pipelines within stages
/// @param operators refused at any depth
/// @param allowOtherDatabases whether stages may read from and write to other databases
/// @param allowJavaScript whether stages may run code in the database
public record PipelineRules(
        boolean enabled,
        Set<String> stages,
        Set<String> operators,
        boolean allowOtherDatabases,
        boolean allowJavaScript) {
    public static final PipelineRules DEFAULT = new PipelineRules(
            true,
            Set.of("$out", "$merge", "$lookup", "$graphLookup", "$unionWith"),
            Set.of("$where", "$function", "$accumulator"),
            false,
            false);

    public static final PipelineRules NONE = new PipelineRules(false, Set.of(), Set.of(), true, true);

    public PipelineRules {
        stages = lowerCase(stages);
        operators = lowerCase(operators);
    }

    private static Set<String> lowerCase(Set<String> names) {
        return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet());
    }
}
