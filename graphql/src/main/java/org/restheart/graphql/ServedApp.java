package org.restheart.graphql;

import graphql.ErrorType;
import graphql.ExecutionResult;
import graphql.GraphQL;
import graphql.GraphQLError;
import graphql.execution.AbortExecutionException;
import graphql.execution.AsyncExecutionStrategy;
import graphql.execution.DataFetcherExceptionHandler;
import graphql.execution.DataFetcherExceptionHandlerParameters;
import graphql.execution.DataFetcherExceptionHandlerResult;
import graphql.execution.ExecutionContext;
import graphql.execution.ExecutionStrategy;
import graphql.execution.ExecutionStrategyParameters;
import graphql.execution.FieldValueInfo;
import graphql.execution.SubscriptionExecutionStrategy;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.restheart.graphql.app.AppUris;
import org.restheart.graphql.app.Apps;
import org.restheart.graphql.app.Apps.App;
import org.restheart.graphql.app.InvalidApp;
import org.restheart.http.Digests;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.metadata.EscapedKeys;
import org.restheart.rest.guard.PipelineInspection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// An app with its query engine. Thread-safe.
///
/// @param stored its definition as stored
/// @param texts of the queries that the definition holds, by name and by SHA-256
record ServedApp(RawBsonDocument stored, App app, GraphQL engine, QueryCache queries, Map<String, String> texts) {
    private static final String FUNCTION = "sha256:";

    /// @param stored with or without escaped keys
    /// @param strict whether to refuse unknown keys
    /// @throws InvalidApp naming the location of the error
    static ServedApp of(RawBsonDocument stored, Apps apps, GraphqlConfig config, boolean strict) throws InvalidApp {
        var app = apps.compile(unescaped(stored), AppUris.of(stored), strict);
        var queries = new QueryCache(app.schema(), config.queries());
        var texts = new HashMap<String, String>();
        for (var document : app.documents().entrySet()) {
            var prepared = queries.keep(document.getValue());
            if (prepared.hasErrors()) {
                throw new InvalidApp("The document " + document.getKey() + " is wrong: "
                        + prepared.getErrors().getFirst().getMessage());
            }
            texts.put(document.getKey(), document.getValue());
            texts.put(sha256(document.getValue()), document.getValue());
        }
        var errors = new FieldErrors();
        var engine = GraphQL.newGraphQL(app.schema())
                .instrumentation(new ResultMemory.Counting())
                .preparsedDocumentProvider(queries)
                .queryExecutionStrategy(new FieldErrors.BoundedStrategy(errors))
                .subscriptionExecutionStrategy(new FieldErrors.SubscriptionStrategy(errors))
                .defaultDataFetcherExceptionHandler(errors)
                .build();
        return new ServedApp(stored, app, engine, queries, Map.copyOf(texts));
    }

    /// Its definition with unescaped keys.
    BsonDocument definition() {
        return unescaped(stored);
    }

    private static BsonDocument unescaped(BsonDocument stored) {
        return EscapedKeys.unescape(stored);
    }

    /// The query of that name or hash, which may have a prefix that names the function.
    Optional<String> document(String id) {
        return Optional.ofNullable(texts.get(id))
                .or(() -> id.startsWith(FUNCTION)
                        ? Optional.ofNullable(texts.get(id.substring(FUNCTION.length())))
                        : Optional.empty());
    }

    boolean holds(String query) {
        return texts.containsValue(query);
    }

    private static String sha256(String text) {
        return HexFormat.of().formatHex(Digests.sha256().digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    /// The errors of fields that could not be loaded.
    static final class FieldErrors implements DataFetcherExceptionHandler {
        private static final Logger LOG = LoggerFactory.getLogger(FieldErrors.class);
        private static final Problem UNEXPECTED =
                Problem.of(ProblemCode.INTERNAL, "Error loading the field, see log for more information");

        private static final Problem ENDED = Problem.of(ProblemCode.OVERLOADED, "the execution has ended");

        @Override
        public CompletableFuture<DataFetcherExceptionHandlerResult> handleException(
                DataFetcherExceptionHandlerParameters failed) {
            var execution = Execution.of(failed.getDataFetchingEnvironment().getGraphQlContext());
            var problem = problem(failed.getException(), execution.fatal());
            execution.failed(problem);
            var error = GraphQLError.newError()
                    .errorType(ErrorType.DataFetchingException)
                    .message("%s", message(problem))
                    .path(failed.getPath())
                    .location(failed.getSourceLocation())
                    .build();
            return CompletableFuture.completedFuture(
                    DataFetcherExceptionHandlerResult.newResult(error).build());
        }

        /// Clients know that of forbidden stages with the name of the service.
        private static String message(Problem problem) {
            return PipelineInspection.isViolation(problem) ? "GraphQL " + problem.message() : problem.message();
        }

        /// Logs what is neither a refusal nor a failure of MongoDB.
        ///
        /// @param fatal the failure of the whole request, by which the other fields end
        static Problem problem(Throwable failure, Optional<Problem> fatal) {
            return switch (failure) {
                case ProblemException refused -> refused.problem();
                case CompletionException wrapper when wrapper.getCause() != null -> problem(wrapper.getCause(), fatal);
                case AbortExecutionException _ -> fatal.orElse(ENDED);
                case CancellationException _ -> fatal.orElse(ENDED); // its client has disconnected
                default ->
                    MongoErrors.toProblem(failure).map(Problem::unquoting).orElseGet(() -> unexpected(failure));
            };
        }

        private static Problem unexpected(Throwable failure) {
            LOG.error("a field failed unexpectedly", failure);
            return UNEXPECTED;
        }

        /// Executes queries, and each event of a subscription, and ends those whose values are errors too
        /// often: graphql-java copies the list of errors for each one that it adds.
        static final class BoundedStrategy extends AsyncExecutionStrategy {
            BoundedStrategy(DataFetcherExceptionHandler errors) {
                super(errors);
            }

            /// Called for each value, also for each element of a list.
            @Override
            protected FieldValueInfo completeValue(ExecutionContext context, ExecutionStrategyParameters parameters) {
                Execution.of(context.getGraphQLContext())
                        .checkErrors(context.getErrors().size());
                return super.completeValue(context, parameters);
            }
        }

        /// Executes subscriptions: for each event as if it was a query, whose field has the event as its
        /// value. In requests that are answered once there is no event, so the data is `null`.
        static final class SubscriptionStrategy extends ExecutionStrategy {
            private final ExecutionStrategy perEvent;
            private final ExecutionStrategy once;

            SubscriptionStrategy(DataFetcherExceptionHandler errors) {
                this.perEvent = new FieldErrors.BoundedStrategy(errors);
                this.once = new SubscriptionExecutionStrategy(errors);
            }

            @Override
            public CompletableFuture<ExecutionResult> execute(
                    ExecutionContext context, ExecutionStrategyParameters parameters) {
                var execution = Execution.of(context.getGraphQLContext());
                return (execution.isSubscription() ? perEvent : once).execute(context, parameters);
            }
        }
    }
}
