package org.restheart.core.filter;

import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.NeedsThread;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.trace.TraceScope;

/// Adds what a filter does before it hands the request on, or refuses it, to the request's span.
///
/// @param part its name in traces
record TracedFilter(String part, Filter filter) implements Filter {
    @Override
    public Response filter(Request request, Handler next) {
        var span = TraceScope.current();
        if (span == null) {
            return filter.filter(request, next);
        }
        long began = System.nanoTime();
        var passed = new Passed(next, () -> span.add(part, began, System.nanoTime()));
        try {
            return filter.filter(request, passed);
        } catch (NeedsThread signal) { // it is tried again
            passed.added = true;
            throw signal;
        } finally {
            passed.addPart();
        }
    }

    private static final class Passed implements Handler {
        private final Handler next;
        private final Runnable over;
        private boolean added;

        Passed(Handler next, Runnable over) {
            this.next = next;
            this.over = over;
        }

        void addPart() {
            if (!added) {
                added = true;
                over.run();
            }
        }

        @Override
        public Response handle(Request request) {
            addPart();
            return next.handle(request);
        }
    }
}
