package org.restheart.graphql;

import graphql.ErrorType;
import graphql.GraphQLError;
import graphql.language.DirectivesContainer;
import graphql.language.Document;
import graphql.language.Field;
import graphql.language.FragmentDefinition;
import graphql.language.FragmentSpread;
import graphql.language.InlineFragment;
import graphql.language.OperationDefinition;
import graphql.language.Selection;
import graphql.language.SelectionSet;
import graphql.schema.GraphQLSchema;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.restheart.graphql.app.UnsupportedDirectives;

/// Checks the bounds of a query, and that it has no unsupported directives, before validation, which can cost
/// far more than parsing. Each fragment is measured once, however often it is spread. Confined to one thread.
final class DocumentBounds {
    /// The deepest nesting of selections and fragments, if the configuration does not limit the depth.
    private static final int MAX_NESTING = 500;

    private final GraphQLSchema schema;
    private final GraphqlConfig.Queries bounds;
    private final Map<String, FragmentDefinition> fragments = new HashMap<>();
    private final Map<String, Measure> measured = new HashMap<>();
    private final Set<String> open = new HashSet<>();
    private final int maxNesting;
    private int aliases;
    private boolean introspects;
    private Optional<String> unsupported = Optional.empty();

    /// @param fields beneath, saturating
    /// @param depth levels of fields
    private record Measure(long fields, int depth) {
        static final Measure NOTHING = new Measure(0, 0);

        Measure beside(Measure other) {
            long sum = fields + other.fields;
            return new Measure(Math.min(sum, Long.MAX_VALUE / 4), Math.max(depth, other.depth));
        }
    }

    private static final class TooDeep extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TooDeep() {
            super(null, null, false, false);
        }
    }

    private DocumentBounds(GraphQLSchema schema, GraphqlConfig.Queries bounds) {
        this.schema = schema;
        this.bounds = bounds;
        this.maxNesting = bounds.maxDepth() == 0 ? MAX_NESTING : 4 * bounds.maxDepth() + 20;
    }

    /// Why a document is refused; empty if it is not.
    static Optional<GraphQLError> refusal(Document document, GraphQLSchema schema, GraphqlConfig.Queries bounds) {
        return new DocumentBounds(schema, bounds).check(document).map(DocumentBounds::error);
    }

    private static GraphQLError error(String message) {
        return GraphQLError.newError()
                .errorType(ErrorType.ValidationError)
                .message(message)
                .build();
    }

    private Optional<String> check(Document document) {
        document.getDefinitionsOfType(FragmentDefinition.class)
                .forEach(fragment -> fragments.put(fragment.getName(), fragment));
        try {
            var all = Measure.NOTHING;
            for (var operation : document.getDefinitionsOfType(OperationDefinition.class)) {
                check(operation);
                all = all.beside(measure(operation.getSelectionSet(), 0));
            }
            for (var fragment : fragments.keySet()) { // unused fragments are validated too
                measureFragment(fragment, 0);
            }
            return verdict(all);
        } catch (TooDeep _) {
            return Optional.of("the query is nested too deeply");
        }
    }

    private Optional<String> verdict(Measure all) {
        if (bounds.maxDepth() > 0 && all.depth > bounds.maxDepth()) {
            return Optional.of("the query has a depth of " + all.depth + ", " + bounds.maxDepth()
                    + " is allowed (graphql.max-depth)");
        }
        if (bounds.maxComplexity() > 0 && all.fields > bounds.maxComplexity()) {
            return Optional.of(
                    "the query asks for more than " + bounds.maxComplexity() + " fields (graphql.max-complexity)");
        }
        if (bounds.maxAliases() > 0 && aliases > bounds.maxAliases()) {
            return Optional.of("the query has " + aliases + " aliases, " + bounds.maxAliases()
                    + " are allowed (graphql.max-aliases)");
        }
        if (introspects && !bounds.introspection()) {
            return Optional.of("introspection is not allowed (graphql.introspection)");
        }
        return unsupported.map(name -> "Unknown directive '" + name + "'");
    }

    private void check(DirectivesContainer<?> node) {
        for (var directive : node.getDirectives()) {
            if (UnsupportedDirectives.contain(schema, directive.getName())) {
                unsupported = Optional.of(directive.getName());
            }
        }
    }

    private Measure measure(@Nullable SelectionSet selections, int nesting) {
        if (selections == null) {
            return Measure.NOTHING;
        }
        if (nesting > maxNesting) {
            throw new TooDeep();
        }
        var all = Measure.NOTHING;
        for (Selection<?> selection : selections.getSelections()) {
            if (selection instanceof DirectivesContainer<?> node) {
                check(node);
            }
            all = all.beside(
                    switch (selection) {
                        case Field field -> {
                            if (field.getAlias() != null) {
                                aliases++;
                            }
                            introspects |= field.getName().equals("__schema")
                                    || field.getName().equals("__type");
                            var beneath = measure(field.getSelectionSet(), nesting + 1);
                            yield new Measure(beneath.fields + 1, beneath.depth + 1);
                        }
                        case InlineFragment inline -> measure(inline.getSelectionSet(), nesting + 1);
                        case FragmentSpread spread -> measureFragment(spread.getName(), nesting + 1);
                        default -> Measure.NOTHING;
                    });
        }
        return all;
    }

    /// A fragment that is spread within itself counts as empty there: validation refuses it.
    private Measure measureFragment(String name, int nesting) {
        var known = measured.get(name);
        if (known != null) {
            return known;
        }
        var fragment = fragments.get(name);
        if (fragment == null || !open.add(name)) {
            return Measure.NOTHING;
        }
        var measure = measure(fragment.getSelectionSet(), nesting);
        open.remove(name);
        measured.put(name, measure);
        return measure;
    }
}
