package org.restheart.graphql;

/// What an operation comes to: one result, or a stream of them.
sealed interface OperationResult permits QueryOutcome, OpenSubscription {}
