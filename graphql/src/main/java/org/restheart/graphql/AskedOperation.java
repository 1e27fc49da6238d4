package org.restheart.graphql;

import graphql.execution.preparsed.PreparsedDocumentEntry;
import graphql.language.Field;
import graphql.language.OperationDefinition;
import graphql.language.Selection;
import java.util.LinkedHashSet;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restheart.http.NamedOperation;

/// The operation of a query, for logs and metrics.
final class AskedOperation {
    /// The length of the names of fields, separated by commas.
    private static final int MAX_FIELDS = 200;

    private static final int MAX_NAME = 100;
    private static final String OTHER = "_other";

    private AskedOperation() {}

    /// Whether the operation is a subscription.
    ///
    /// @param name as below
    static boolean isSubscription(PreparsedDocumentEntry entry, @Nullable String name) {
        var document = entry.getDocument();
        return !entry.hasErrors()
                && document != null
                && document.getDefinitionsOfType(OperationDefinition.class).stream()
                        .filter(operation -> name == null || name.equals(operation.getName()))
                        .anyMatch(operation -> operation.getOperation() == OperationDefinition.Operation.SUBSCRIPTION);
    }

    /// @param name selects one of several operations; null if there is one
    static NamedOperation of(PreparsedDocumentEntry entry, @Nullable String name) {
        var document = entry.getDocument();
        if (entry.hasErrors() || document == null) {
            return new NamedOperation("", OTHER);
        }
        var operations = document.getDefinitionsOfType(OperationDefinition.class);
        var meant = operations.stream()
                .filter(operation -> name == null ? operations.size() == 1 : name.equals(operation.getName()))
                .findFirst();
        var queried = operations.stream()
                .filter(operation -> operation.getOperation() == OperationDefinition.Operation.QUERY)
                .findFirst();
        return new NamedOperation(
                meant.flatMap(operation -> Optional.ofNullable(operation.getName()))
                        .map(text -> text.length() > MAX_NAME ? OTHER : text)
                        .orElse(""),
                queried.or(() -> meant).map(AskedOperation::fields).orElse(""));
    }

    /// The distinct fields with selections; fragments are not followed.
    private static String fields(OperationDefinition query) {
        var names = new LinkedHashSet<String>();
        int length = 0;
        for (Selection<?> selection : query.getSelectionSet().getSelections()) {
            if (selection instanceof Field field && field.getSelectionSet() != null && names.add(field.getName())) {
                length += field.getName().length() + 1;
                if (length > MAX_FIELDS) {
                    return OTHER;
                }
            }
        }
        return String.join(",", names);
    }
}
