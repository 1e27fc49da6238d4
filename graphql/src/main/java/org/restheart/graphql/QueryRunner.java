package org.restheart.graphql;

import graphql.ErrorType;
import graphql.ExecutionInput;
import graphql.ExecutionResult;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.restheart.graphql.OperationResult.QueryOutcome;
import org.restheart.graphql.app.Node;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.mongo.reading.DocumentReads;

/// Executes operations. Thread-safe.
record QueryRunner(GraphqlConfig config, DocumentReads reads, SourceAccess access, ResultMemory memory) {

    /// Executes an operation once, on this thread.
    ///
    /// @param root the values of fields that streams are mapped to
    /// @param extensions further ones of the result
    QueryOutcome run(
            Request request, ServedApp app, QueryRequest asked, SubscriptionRoot root, Map<String, ?> extensions) {
        var query = query(app, asked);
        if (query.isEmpty()) {
            return asked.documentId().isPresent()
                    ? QueryOutcome.error(
                            400,
                            "PersistedQueryNotFound",
                            ErrorType.ValidationError,
                            "the app's documents have none of this name or hash")
                    : QueryOutcome.error(400, "Query cannot be null", ErrorType.DataFetchingException, asked.hint());
        }
        if (config.queries().onlyStored() && !app.holds(query.get())) {
            return QueryOutcome.error(
                    400,
                    "only queries that the app holds are answered (graphql.persisted-documents-only)",
                    ErrorType.ValidationError);
        }
        var share = memory.open();
        var loads = new LevelLoads(reads, share.lease());
        try (share;
                var execution = new Execution(
                        request, loads, config.answers(), source -> access.rights(request, source), root, share)) {
            var result = run(execution, loads, app, input(execution, asked, query.get()));
            var all = new HashMap<String, Object>(extensions);
            if (config.answers().verbose()) {
                all.put("dataloader", Map.of("overall-statistics", loads.statistics()));
            }
            return outcome(execution, result, all);
        } catch (TimeoutException _) {
            return timedOut();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProblemException(ProblemCode.OVERLOADED, "the request has ended");
        }
    }

    /// The text of the operation's document; empty if there is none.
    static Optional<String> query(ServedApp app, QueryRequest asked) {
        return asked.query()
                .filter(text -> !text.isEmpty())
                .or(() -> asked.documentId().flatMap(app::document));
    }

    private static ExecutionInput.Builder input(Execution execution, QueryRequest asked, String query) {
        return ExecutionInput.newExecutionInput()
                .query(query)
                .operationName(asked.operationName().orElse(null))
                .variables(asked.variables())
                .root(Node.NOTHING)
                .graphQLContext(Map.of(Execution.class, execution));
    }

    private ExecutionResult run(Execution execution, LevelLoads loads, ServedApp app, ExecutionInput.Builder input)
            throws TimeoutException, InterruptedException {
        try {
            return loads.loop()
                    .await(
                            execute(execution, app, input.dataLoaderRegistry(loads.registry())),
                            execution.deadline(),
                            execution::close);
        } catch (CompletionException e) {
            return replaced(execution, e);
        }
    }

    private static CompletableFuture<ExecutionResult> execute(
            Execution execution, ServedApp app, ExecutionInput.Builder input) {
        try {
            return app.engine().executeAsync(execution.begins(input.build()));
        } catch (ProblemException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /// The result of an execution that has failed as a whole, which the outcome reports.
    private static ExecutionResult replaced(Execution execution, CompletionException failure) {
        if (execution.fatal().isEmpty()) {
            throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
        }
        return ExecutionResult.newExecutionResult().build();
    }

    private QueryOutcome outcome(Execution execution, ExecutionResult result, Map<String, ?> extensions) {
        if (execution.fatal().isPresent()) {
            return failed(execution.fatal().get());
        }
        execution.holdEncoding();
        try {
            var json = ResultJson.of(result, extensions, config.answers().maxBytes());
            boolean failed = !result.getErrors().isEmpty() && result.getData() == null;
            return new QueryOutcome(failed ? 400 : 200, json.toByteArray());
        } catch (ResultJson.TooLong _) {
            return QueryOutcome.error(
                    400,
                    "the response is larger than " + config.answers().maxBytes()
                            + " bytes (graphql.max-response-bytes)",
                    ErrorType.ExecutionAborted);
        }
    }

    private QueryOutcome failed(Problem problem) {
        return switch (problem.code()) {
            case QUERY_TIMED_OUT -> timedOut();
            case UNPROCESSABLE -> QueryOutcome.error(400, problem.message(), ErrorType.ExecutionAborted);
            case OVERLOADED -> throw problem.raise();
            default -> QueryOutcome.unavailable(problem);
        };
    }

    private QueryOutcome timedOut() {
        return QueryOutcome.error(
                408,
                "Maximum query time limit of " + config.answers().timeLimit().toMillis() + "ms exceeded",
                ErrorType.ExecutionAborted);
    }
}
