package org.restheart.http;

import java.util.function.Consumer;
import org.restheart.http.attribute.Key;

/// The operation that a request's content names, for logs and metrics of services such as GraphQL whose paths do
/// not show it. The texts come from clients; who creates one bounds their lengths.
///
/// @param fields the requested fields, separated by commas; may be empty
public record NamedOperation(String name, String fields) {
    /// Counts a further operation of a request whose connection stays open, such as a WebSocket, as a request of its
    /// caller; throws the [ProblemException] with which that would be refused.
    public static final Key<Runnable> ADMISSION = Key.named("admission of operations");

    /// The observer of a request's operation, called whatever the outcome of the request.
    public static final Key<Consumer<NamedOperation>> OBSERVER = Key.named("operation observer");
}
