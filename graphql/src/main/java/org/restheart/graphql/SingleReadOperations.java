package org.restheart.graphql;

import graphql.language.Document;
import graphql.language.Field;
import graphql.language.FragmentDefinition;
import graphql.language.FragmentSpread;
import graphql.language.InlineFragment;
import graphql.language.OperationDefinition;
import graphql.language.Selection;
import graphql.language.SelectionSet;
import graphql.schema.GraphQLEnumType;
import graphql.schema.GraphQLObjectType;
import graphql.schema.GraphQLScalarType;
import graphql.schema.GraphQLSchema;
import graphql.schema.GraphQLType;
import graphql.schema.GraphQLTypeUtil;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restheart.graphql.app.FieldMapping;

/// Determines which operations of a valid document load exactly one document: their only field is mapped to a
/// query for one document, and whatever they select is in that. Such an operation needs no thread that waits.
/// Confined to one thread.
final class SingleReadOperations {
    /// The most selections of an operation, in which those of a fragment count wherever it is spread. Larger
    /// operations are executed on a thread of their own.
    private static final int MAX_SELECTIONS = 100;

    private static final int MAX_OPERATIONS = 20;

    private final GraphQLSchema schema;
    private final Map<String, FieldMapping> fields;
    private final Map<String, FragmentDefinition> fragments = new HashMap<>();
    private int left;

    private SingleReadOperations(GraphQLSchema schema, Map<String, FieldMapping> fields) {
        this.schema = schema;
        this.fields = fields;
    }

    /// The mappings of such operations, by the name that a request gives: `""` for none.
    ///
    /// @param fields mappings by `Type.field`
    static Map<String, FieldMapping.Find> of(
            Document document, GraphQLSchema schema, Map<String, FieldMapping> fields) {
        var operations = document.getDefinitionsOfType(OperationDefinition.class);
        if (operations.size() > MAX_OPERATIONS) {
            return Map.of();
        }
        var loads = new SingleReadOperations(schema, fields);
        document.getDefinitionsOfType(FragmentDefinition.class)
                .forEach(fragment -> loads.fragments.put(fragment.getName(), fragment));
        var found = new HashMap<String, FieldMapping.Find>();
        for (var operation : operations) {
            loads.of(operation).ifPresent(find -> {
                if (operation.getName() != null) {
                    found.put(operation.getName(), find);
                }
                if (operations.size() == 1) {
                    found.put("", find);
                }
            });
        }
        return Map.copyOf(found);
    }

    private Optional<FieldMapping.Find> of(OperationDefinition operation) {
        var selections = operation.getSelectionSet().getSelections();
        if (operation.getOperation() != OperationDefinition.Operation.QUERY
                || selections.size() != 1
                || !(selections.getFirst() instanceof Field root)) {
            return Optional.empty();
        }
        var query = schema.getQueryType();
        var definition = query.getFieldDefinition(root.getName());
        if (definition == null
                || !(fields.get(query.getName() + "." + root.getName()) instanceof FieldMapping.Find find)) {
            return Optional.empty();
        }
        left = MAX_SELECTIONS;
        return isWithin(root.getSelectionSet(), GraphQLTypeUtil.unwrapNonNull(definition.getType()))
                ? Optional.of(find)
                : Optional.empty();
    }

    /// Whether everything selected is in the parent's document.
    private boolean isWithin(@Nullable SelectionSet selections, GraphQLType type) {
        return switch (type) {
            case GraphQLObjectType object -> selections != null && isWithin(selections, object);
            case GraphQLScalarType _, GraphQLEnumType _ -> true;
            default -> false; // of a list or an abstract type
        };
    }

    private boolean isWithin(SelectionSet selections, GraphQLObjectType type) {
        for (Selection<?> selection : selections.getSelections()) {
            left--;
            boolean within = left >= 0
                    && switch (selection) {
                        case Field field -> isWithin(field, type);
                        case InlineFragment inline -> isWithin(inline.getSelectionSet(), type);
                        case FragmentSpread spread -> {
                            var fragment = fragments.get(spread.getName());
                            yield fragment != null && isWithin(fragment.getSelectionSet(), type);
                        }
                        default -> false;
                    };
            if (!within) {
                return false;
            }
        }
        return true;
    }

    private boolean isWithin(Field field, GraphQLObjectType type) {
        if (field.getName().equals("__typename")) {
            return true;
        }
        var definition = type.getFieldDefinition(field.getName());
        var mapping = fields.get(type.getName() + "." + field.getName());
        return definition != null
                && (mapping == null || mapping instanceof FieldMapping.Path)
                && isWithin(field.getSelectionSet(), GraphQLTypeUtil.unwrapAll(definition.getType()));
    }
}
