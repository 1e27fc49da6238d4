package org.restheart.graphql;

import graphql.execution.AsyncExecutionStrategy;
import graphql.execution.DataFetcherExceptionHandler;
import graphql.execution.ExecutionContext;
import graphql.execution.ExecutionStrategyParameters;
import graphql.execution.FieldValueInfo;

/// Executes queries, and each event of a subscription, and ends those whose values are errors too often: graphql-java
/// copies the list of errors for each one that it adds.
final class BoundedStrategy extends AsyncExecutionStrategy {
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
