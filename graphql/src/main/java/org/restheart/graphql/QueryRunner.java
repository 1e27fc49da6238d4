package org.restheart.graphql;

import graphql.ErrorType;
import graphql.ExecutionInput;
import graphql.ExecutionResult;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import org.restheart.graphql.app.FieldMapping.Source;
import org.restheart.graphql.app.Node;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.mongo.reading.DocumentReads;
import org.restheart.mongo.reading.ReadRights;

/// Executes operations. Thread-safe.
///
/// @param rights the read rights of a request on a collection; may block
record QueryRunner(
        GraphqlConfig config,
        DocumentReads reads,
        BiFunction<Request, Source, ReadRights> rights,
        ResultMemory memory) {

    /// Executes an operation once, on this thread.
    ///
    /// @param root the values of fields that streams are mapped to
    /// @param extensions further ones of the result
    QueryOutcome run(
            Request request, ServedApp app, QueryRequest asked, SubscriptionRoot root, Map<String, ?> extensions) {
        var query = query(app, asked);
        if (query.isEmpty()) {
            return asked.documentId().isPresent()
                    ? GraphqlErrors.outcome(400, "PersistedQueryNotFound", ErrorType.ValidationError)
                    : GraphqlErrors.outcome(400, "Query cannot be null", ErrorType.DataFetchingException);
        }
        if (config.queries().onlyStored() && !app.holds(query.get())) {
            return GraphqlErrors.outcome(
                    400, "only queries that the app holds are answered", ErrorType.ValidationError);
        }
        try (var share = memory.open()) {
            var execution = new Execution(
                    request, reads, config.answers(), source -> rights.apply(request, source), root, share);
            return outcome(execution, run(execution, app, asked, query.get()), extensions);
        } catch (TimeoutException _) {
            return timedOut();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.of(ProblemCode.OVERLOADED, "the server is stopping").raise();
        }
    }

    /// The text of the operation's document; empty if there is none.
    static Optional<String> query(ServedApp app, QueryRequest asked) {
        return asked.query()
                .filter(text -> !text.isEmpty())
                .or(() -> asked.documentId().flatMap(app::document));
    }

    private ExecutionResult run(Execution execution, ServedApp app, QueryRequest asked, String query)
            throws TimeoutException, InterruptedException {
        var input = ExecutionInput.newExecutionInput()
                .query(query)
                .operationName(asked.operationName().orElse(null))
                .variables(asked.variables())
                .root(Node.NOTHING)
                .graphQLContext(Map.of(Execution.class, execution))
                .dataLoaderRegistry(execution.loaders())
                .build();
        var limit = config.answers().timeLimit();
        long deadline = limit.isZero() ? 0 : System.nanoTime() + limit.toNanos();
        try {
            return execution.loop().await(app.engine().executeAsync(input), deadline);
        } catch (CompletionException | ProblemException e) {
            if (execution.fatal().isEmpty()) {
                throw e;
            }
            return ExecutionResult.newExecutionResult().build(); // the failure tells the outcome
        }
    }

    private QueryOutcome outcome(Execution execution, ExecutionResult result, Map<String, ?> extensions) {
        if (execution.fatal().isPresent()) {
            return failed(execution.fatal().get());
        }
        var all = new HashMap<String, Object>(extensions);
        if (config.answers().verbose()) {
            all.put("dataloader", Map.of("overall-statistics", execution.statistics()));
        }
        try {
            var json = ResultJson.of(result, all, config.answers().maxBytes());
            boolean failed = !result.getErrors().isEmpty() && result.getData() == null;
            return new QueryOutcome(failed ? 400 : 200, json.toByteArray());
        } catch (ResultJson.TooLong _) {
            return GraphqlErrors.outcome(
                    400,
                    "the response is larger than " + config.answers().maxBytes() + " bytes",
                    ErrorType.ExecutionAborted);
        }
    }

    private QueryOutcome failed(Problem problem) {
        return switch (problem.code()) {
            case QUERY_TIMED_OUT -> timedOut();
            case UNPROCESSABLE -> GraphqlErrors.outcome(400, problem.message(), ErrorType.ExecutionAborted);
            case OVERLOADED -> throw problem.raise();
            default ->
                GraphqlErrors.outcome(
                        500,
                        "Unable to establish a connection to the database: " + problem.message(),
                        ErrorType.ExecutionAborted);
        };
    }

    private QueryOutcome timedOut() {
        return GraphqlErrors.outcome(
                408,
                "Maximum query time limit of " + config.answers().timeLimit().toMillis() + "ms exceeded",
                ErrorType.ExecutionAborted);
    }
}
