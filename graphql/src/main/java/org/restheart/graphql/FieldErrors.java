package org.restheart.graphql;

import graphql.ErrorType;
import graphql.ExecutionResult;
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
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.guard.PipelineInspection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The errors of fields that could not be loaded.
final class FieldErrors implements DataFetcherExceptionHandler {
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
                MongoErrors.toProblem(failure)
                        .map(problem -> problem.unquoted().isPresent() ? problem.unquoting() : problem)
                        .orElseGet(() -> unexpected(failure));
        };
    }

    private static Problem unexpected(Throwable failure) {
        LOG.error("a field failed unexpectedly", failure);
        return UNEXPECTED;
    }

    /// Executes queries, and each event of a subscription, and ends those whose values are errors too often:
    /// graphql-java copies the list of errors for each one that it adds.
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

    /// Executes subscriptions: for each event as if it was a query, whose field has the event as its value. In
    /// requests that are answered once there is no event, so the data is `null`.
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
