package org.restheart.graphql;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import graphql.ErrorType;
import graphql.ExecutionInput;
import graphql.GraphQLError;
import graphql.ParseAndValidate;
import graphql.execution.preparsed.PreparsedDocumentEntry;
import graphql.execution.preparsed.PreparsedDocumentProvider;
import graphql.parser.InvalidSyntaxException;
import graphql.parser.Parser;
import graphql.parser.ParserEnvironment;
import graphql.parser.ParserOptions;
import graphql.schema.GraphQLSchema;
import graphql.validation.QueryComplexityLimits;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/// Parses and validates the queries of one app, and keeps those that are valid. Thread-safe.
final class QueryCache implements PreparsedDocumentProvider {
    private static final int MAX_ERRORS = 20;

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
                .maximumWeight(bounds.cachedCharacters())
                .<String, PreparsedDocumentEntry>weigher((query, _) -> query.length() + 200)
                .build();
    }

    @Override
    public CompletableFuture<PreparsedDocumentEntry> getDocumentAsync(
            ExecutionInput input, Function<ExecutionInput, PreparsedDocumentEntry> parseAndValidate) {
        var entry = find(input.getQuery());
        Execution.of(input.getGraphQLContext()).asked(AskedOperation.of(entry, input.getOperationName()));
        return CompletableFuture.completedFuture(entry);
    }

    PreparsedDocumentEntry find(String query) {
        var entry = known.getIfPresent(query);
        if (entry == null) {
            entry = prepare(query);
            if (!entry.hasErrors()) {
                known.put(query, entry);
            }
        }
        return entry;
    }

    private PreparsedDocumentEntry prepare(String query) {
        if (query.length() > bounds.maxCharacters()) {
            return new PreparsedDocumentEntry(GraphQLError.newError()
                    .errorType(ErrorType.InvalidSyntax)
                    .message("Invalid syntax: the query has more than " + bounds.maxCharacters() + " characters")
                    .build());
        }
        try {
            var document = new Parser()
                    .parseDocument(ParserEnvironment.newParserEnvironment()
                            .document(query)
                            .parserOptions(options)
                            .locale(Locale.ROOT)
                            .build());
            var refusal = DocumentBounds.refusal(document, bounds);
            if (refusal.isPresent()) {
                return new PreparsedDocumentEntry(refusal.get());
            }
            List<? extends GraphQLError> errors =
                    ParseAndValidate.validate(schema, document, _ -> true, Locale.ROOT, QueryComplexityLimits.NONE);
            return errors.isEmpty()
                    ? new PreparsedDocumentEntry(document)
                    : new PreparsedDocumentEntry(errors.subList(0, Math.min(errors.size(), MAX_ERRORS)));
        } catch (InvalidSyntaxException e) {
            return new PreparsedDocumentEntry(e.toInvalidSyntaxError());
        }
    }
}
