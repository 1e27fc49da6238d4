package org.restheart.http;

import java.util.function.Consumer;
import org.restheart.http.attribute.Key;

/// What a request's content asks a service to do, where its path does not tell: for logs and metrics. Whoever makes one
/// has bounded its length; clients choose what it says.
///
/// @param name as the client calls it; empty if it has none
/// @param fields what is asked for, separated by commas; perhaps empty
public record Operation(String name, String fields) {
    /// Who wants to be told of the operation that a request asks for, whatever becomes of the request.
    public static final Key<Consumer<Operation>> OBSERVER = Key.named("operation observer");
}
