package org.restheart.http;

/// A step around a [Handler]: may respond itself, pass on a changed request, or change the response. Thread-safe.
@FunctionalInterface
public interface Filter {
    /// The same threading rule as [Handler#handle(Request)]; a deferred response is changed with [Response#map].
    Response filter(Request request, Handler next);

    /// This filter in front of `next`, as one handler.
    default Handler before(Handler next) {
        return request -> filter(request, next);
    }

    /// The given filters in front of `last`, the first one outermost.
    static Handler chain(Iterable<Filter> filters, Handler last) {
        Handler chain = last;
        var reversed = new java.util.ArrayDeque<Filter>();
        filters.forEach(reversed::push);
        for (var filter : reversed) {
            chain = filter.before(chain);
        }
        return chain;
    }
}
