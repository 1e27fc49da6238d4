package org.restheart.http;

import java.util.ArrayDeque;

/// A step around a [Handler]: it may respond itself, pass on a changed request, or change the response.
/// Thread-safe.
@FunctionalInterface
public interface Filter {
    /// Handles the request, or passes it to `next`. The threading rule of [Handler#handle(Request)] applies.
    /// A response may be [deferred][Response.Deferred]: it is changed with [Response#map], its failure with
    /// [Response#recover].
    Response filter(Request request, Handler next);

    default Handler before(Handler next) {
        return request -> filter(request, next);
    }

    /// The given filters in front of `last`, the first one outermost.
    static Handler chain(Iterable<Filter> filters, Handler last) {
        Handler chain = last;
        var reversed = new ArrayDeque<Filter>();
        filters.forEach(reversed::push);
        for (var filter : reversed) {
            chain = filter.before(chain);
        }
        return chain;
    }
}
