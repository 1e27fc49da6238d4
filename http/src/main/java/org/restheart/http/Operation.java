package org.restheart.http;

import java.util.function.Consumer;
import org.restheart.http.attribute.Key;

/// The operation that a request's content names, for logs and metrics of services such as GraphQL whose paths do
/// not show it. The texts come from clients; who creates one bounds their lengths.
///
/// @param name the operation's name; empty if it has none
/// @param fields the requested fields, separated by commas; may be empty
public record Operation(String name, String fields) {
    /// The observer of a request's operation, called whatever the outcome of the request.
    public static final Key<Consumer<Operation>> OBSERVER = Key.named("operation observer");
}
