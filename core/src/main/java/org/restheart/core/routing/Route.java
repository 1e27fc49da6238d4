package org.restheart.core.routing;

import org.restheart.http.Handler;
import org.restheart.http.Request;

/// A binding with its handler chains, assembled at start.
///
/// @param chain the filters of this route around its service
/// @param judged the chain of judged requests
public record Route(Binding binding, Handler chain, Handler judged) {
    /// Whether a request is first tried on the I/O thread that received it.
    public boolean startsOnIoThread(Request request) {
        return binding.service().startsOnIoThread(request);
    }

    /// Whether the service reads the content of a request while it arrives.
    public boolean streamsContent(Request request) {
        return binding.service().streamsContent(request);
    }
}
