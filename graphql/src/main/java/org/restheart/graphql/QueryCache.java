package org.restheart.graphql;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import graphql.ErrorType;
import graphql.ExecutionInput;
import graphql.GraphQLError;
import graphql.ParseAndValidate;
import graphql.execution.preparsed.PreparsedDocumentEntry;
import graphql.execution.preparsed.PreparsedDocumentProvider;
import graphql.language.Field;
import graphql.language.Node;
import graphql.language.OperationDefinition;
import graphql.language.Selection;
import graphql.parser.InvalidSyntaxException;
import graphql.parser.Parser;
import graphql.parser.ParserEnvironment;
import graphql.parser.ParserOptions;
import graphql.schema.GraphQLSchema;
import graphql.validation.GoodFaithIntrospectionExceeded;
import graphql.validation.QueryComplexityLimits;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.restheart.http.ComputeLimit;
import org.restheart.http.NamedOperation;

/// Parses and validates the queries of one app, and keeps those that are valid. Thread-safe.
final class QueryCache implements PreparsedDocumentProvider {
    /// Characters of a query that takes as long as other requests: some milliseconds.
    private static final int SHORT = 1_000;

    private static final int MAX_ERRORS = 20;
    private static final int MAX_MESSAGE = 600;

    /// A field, the largest node, takes 330 bytes with its name, location and lists.
    private static final int NODE_BYTES = 400;

    private static final int ENTRY_BYTES = 500;

    /// The length of the names of fields, separated by commas.
    private static final int MAX_FIELDS = 200;

    private static final int MAX_NAME = 100;
    private static final String OTHER = "_other";

    private final GraphQLSchema schema;
    private final GraphqlConfig.Queries bounds;
    private final ParserOptions options;
    private final Cache<String, PreparsedDocumentEntry> known;

    QueryCache(GraphQLSchema schema, GraphqlConfig.Queries bounds) {
        this.schema = schema;
        this.bounds = bounds;
        this.options = ParserOptions.getDefaultOperationParserOptions()
                .transform(builder -> builder.maxTokens(bounds.maxTokens())
                        .maxCharacters(bounds.maxCharacters())
                        .captureIgnoredChars(false)
                        .captureLineComments(false)
                        .readerTrackData(false));
        this.known = Caffeine.newBuilder()
                .executor(Runnable::run)
                .maximumWeight(bounds.cachedBytes())
                .weigher(QueryCache::bytes)
                .build();
    }

    /// What is held for a query: a field of one letter takes a hundred times as much as its text.
    private static int bytes(String query, PreparsedDocumentEntry known) {
        long nodes = 0;
        var open = new ArrayDeque<Node<?>>();
        open.push(Objects.requireNonNull(known.getDocument()));
        while (!open.isEmpty()) {
            nodes++;
            open.pop().getChildren().forEach(open::push);
        }
        return (int) Math.min(Integer.MAX_VALUE, ENTRY_BYTES + 2L * query.length() + nodes * NODE_BYTES);
    }

    @Override
    public CompletableFuture<PreparsedDocumentEntry> getDocumentAsync(
            ExecutionInput input, Function<ExecutionInput, PreparsedDocumentEntry> parseAndValidate) {
        var entry = find(input.getQuery());
        Execution.of(input.getGraphQLContext()).asked(operation(entry, input.getOperationName()));
        return CompletableFuture.completedFuture(entry);
    }

    PreparsedDocumentEntry find(String query) {
        var kept = known.getIfPresent(query);
        if (kept != null) {
            return kept;
        }
        return query.length() <= SHORT ? keep(query) : ComputeLimit.SHARED.compute(() -> keep(query));
    }

    /// Without a limit to how many are parsed at a time.
    PreparsedDocumentEntry keep(String query) {
        var entry = prepare(query);
        var document = entry.getDocument();
        if (!entry.hasErrors() && document != null) {
            known.put(query, entry);
        }
        return entry;
    }

    private PreparsedDocumentEntry prepare(String query) {
        if (query.length() > bounds.maxCharacters()) {
            return malformed("the query has more than " + bounds.maxCharacters() + " characters");
        }
        var refusedText = DocumentBounds.refusal(query);
        if (refusedText.isPresent()) {
            return malformed(refusedText.get());
        }
        try {
            var document = new Parser()
                    .parseDocument(ParserEnvironment.newParserEnvironment()
                            .document(query)
                            .parserOptions(options)
                            .locale(Locale.ROOT)
                            .build());
            var refusal = DocumentBounds.refusal(document, schema, bounds);
            if (refusal.isPresent()) {
                return new PreparsedDocumentEntry(refusal.get());
            }
            List<? extends GraphQLError> errors =
                    ParseAndValidate.validate(schema, document, _ -> true, Locale.ROOT, QueryComplexityLimits.NONE);
            return errors.isEmpty()
                    ? new PreparsedDocumentEntry(document)
                    : new PreparsedDocumentEntry(errors.stream()
                            .limit(MAX_ERRORS)
                            .map(QueryCache::shortened)
                            .toList());
        } catch (InvalidSyntaxException e) {
            return new PreparsedDocumentEntry(shortened(e.toInvalidSyntaxError()));
        } catch (GoodFaithIntrospectionExceeded e) {
            return refused(ErrorType.ValidationError, e.toBadFaithError().getMessage());
        }
    }

    /// Messages repeat names and values of the query, however long these are.
    private static GraphQLError shortened(GraphQLError error) {
        var message = error.getMessage();
        return message.length() <= MAX_MESSAGE
                ? error
                : GraphQLError.newError()
                        .errorType(error.getErrorType())
                        .message(message.substring(0, MAX_MESSAGE) + "...")
                        .locations(error.getLocations())
                        .build();
    }

    private static PreparsedDocumentEntry malformed(String reason) {
        return refused(ErrorType.InvalidSyntax, "Invalid syntax: " + reason);
    }

    /// @param type one of those that clients know
    private static PreparsedDocumentEntry refused(ErrorType type, String message) {
        return new PreparsedDocumentEntry(
                GraphQLError.newError().errorType(type).message("%s", message).build());
    }

    /// Whether the operation is a subscription.
    ///
    /// @param name as of [#operation]
    static boolean isSubscription(PreparsedDocumentEntry entry, @Nullable String name) {
        var document = entry.getDocument();
        return !entry.hasErrors()
                && document != null
                && document.getDefinitionsOfType(OperationDefinition.class).stream()
                        .filter(operation -> name == null || name.equals(operation.getName()))
                        .anyMatch(operation -> operation.getOperation() == OperationDefinition.Operation.SUBSCRIPTION);
    }

    /// The operation of a query, for logs and metrics.
    ///
    /// @param name selects one of several operations; null if there is one
    static NamedOperation operation(PreparsedDocumentEntry entry, @Nullable String name) {
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
                queried.or(() -> meant).map(QueryCache::fields).orElse(""));
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
