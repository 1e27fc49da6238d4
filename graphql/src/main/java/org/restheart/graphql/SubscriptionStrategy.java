package org.restheart.graphql;

import graphql.ExecutionResult;
import graphql.execution.DataFetcherExceptionHandler;
import graphql.execution.ExecutionContext;
import graphql.execution.ExecutionStrategy;
import graphql.execution.ExecutionStrategyParameters;
import graphql.execution.SubscriptionExecutionStrategy;
import java.util.concurrent.CompletableFuture;

/// Executes subscriptions: for each event as if it was a query, whose field has the event as its value. In
/// requests that are answered once there is no event, so the data is `null`.
final class SubscriptionStrategy extends ExecutionStrategy {
    private final ExecutionStrategy perEvent;
    private final ExecutionStrategy once;

    SubscriptionStrategy(DataFetcherExceptionHandler errors) {
        this.perEvent = new BoundedStrategy(errors);
        this.once = new SubscriptionExecutionStrategy(errors);
    }

    @Override
    public CompletableFuture<ExecutionResult> execute(
            ExecutionContext context, ExecutionStrategyParameters parameters) {
        var execution = Execution.of(context.getGraphQLContext());
        return (execution.isSubscription() ? perEvent : once).execute(context, parameters);
    }
}
