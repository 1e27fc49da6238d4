package org.restheart.core.routing;

import org.restheart.http.Handler;
import org.restheart.http.Request;

/// A binding with everything that runs for its requests, assembled at start.
///
/// @param chain the filters of this route around its service
/// @param judged those of requests made inside the process
public record Route(Binding binding, Handler chain, Handler judged) {
    /// Whether a request is worth a try on the I/O thread that received it.
    public boolean startsOnIoThread(Request request) {
        return binding.service().startsOnIoThread(request);
    }

    /// Whether the service reads the content of a request while it arrives.
    public boolean streamsContent(Request request) {
        return binding.service().streamsContent(request);
    }
}
