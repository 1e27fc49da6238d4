package org.restheart.graphql;

import java.util.Optional;
import java.util.function.Function;
import org.restheart.http.push.Subscription;

/// A subscription whose source stream is open. Either its results are taken or [#source()] is closed.
///
/// @param execution of one event; empty if the operation cannot be executed any more
record OpenSubscription(Subscription source, Function<SourceEvent, Optional<QueryOutcome>> execution)
        implements OperationResult {

    /// The stream of results, which is not started.
    ResponseStream results(ResponseStream.Receiver receiver) {
        return new ResponseStream(source, execution, receiver);
    }
}
