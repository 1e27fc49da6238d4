package org.restheart.graphql;

import org.restheart.http.push.Subscription;

/// The result of an operation: a single one, or a stream.
sealed interface OperationResult permits QueryOutcome, OperationResult.OpenSubscription {
    /// A subscription whose source stream is open. Either its results are taken or [#source()] is closed.
    record OpenSubscription(Subscription source, ResponseStream.Execution execution) implements OperationResult {
        /// The stream of results, which is not started.
        ResponseStream results(ResponseStream.Receiver receiver) {
            return new ResponseStream(source, execution, receiver);
        }
    }
}
