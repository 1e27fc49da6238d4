package org.restheart.graphql;

/// The result of an operation: a single one, or a stream.
sealed interface OperationResult permits QueryOutcome, OpenSubscription {}
