package org.restheart.graphql;

import graphql.ErrorType;
import graphql.GraphQLError;
import graphql.execution.DataFetcherExceptionHandler;
import graphql.execution.DataFetcherExceptionHandlerParameters;
import graphql.execution.DataFetcherExceptionHandlerResult;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The errors of fields that could not be loaded.
final class FieldErrors implements DataFetcherExceptionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(FieldErrors.class);
    private static final String FORBIDDEN_STAGE = "aggregation pipeline security violation";
    private static final Problem UNEXPECTED =
            Problem.of(ProblemCode.INTERNAL, "Error loading the field, see log for more information");

    @Override
    public CompletableFuture<DataFetcherExceptionHandlerResult> handleException(
            DataFetcherExceptionHandlerParameters failed) {
        var problem = problem(failed.getException());
        Execution.of(failed.getDataFetchingEnvironment().getGraphQlContext()).failed(problem);
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
        return problem.message().startsWith(FORBIDDEN_STAGE) ? "GraphQL " + problem.message() : problem.message();
    }

    private static Problem problem(Throwable failure) {
        return switch (failure) {
            case ProblemException refused -> refused.problem();
            case CompletionException wrapper when wrapper.getCause() != null -> problem(wrapper.getCause());
            default -> {
                LOG.error("a field failed unexpectedly", failure);
                yield UNEXPECTED;
            }
        };
    }
}
