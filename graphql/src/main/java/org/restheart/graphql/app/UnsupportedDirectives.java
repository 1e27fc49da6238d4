package org.restheart.graphql.app;

import graphql.Directives;
import graphql.schema.GraphQLDirective;
import graphql.schema.GraphQLSchema;
import java.util.List;
import java.util.Set;

/// Directives that graphql-java adds to every schema, and that are not supported. An app may declare its own
/// ones of the same names.
public final class UnsupportedDirectives {
    private static final Set<GraphQLDirective> ADDED =
            Set.of(Directives.DeferDirective, Directives.ExperimentalDisableErrorPropagationDirective);

    private UnsupportedDirectives() {}

    /// Whether the name is that of such a directive.
    public static boolean contain(GraphQLSchema schema, String name) {
        return ADDED.stream().anyMatch(directive -> directive.getName().equals(name))
                && ADDED.contains(schema.getDirective(name));
    }

    static List<GraphQLDirective> without(GraphQLSchema schema) {
        return schema.getDirectives().stream()
                .filter(directive -> !ADDED.contains(directive))
                .toList();
    }
}
