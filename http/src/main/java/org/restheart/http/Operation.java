package org.restheart.http;

import java.util.function.Consumer;
import org.restheart.http.attribute.Key;

/// The operation that a request's content names, for logs and metrics of services whose paths do not show it. Chosen by
/// clients: the creator bounds its length.
///
/// @param name as the client calls it; empty if it has none
/// @param fields the requested fields, separated by commas; may be empty
public record Operation(String name, String fields) {
    /// The observer of a request's operation, called whatever the outcome of the request.
    public static final Key<Consumer<Operation>> OBSERVER = Key.named("operation observer");
}
