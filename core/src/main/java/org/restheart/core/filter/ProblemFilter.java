package org.restheart.core.filter;

import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.NeedsThread;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Converts exceptions to problems, for services with their own error format.
record ProblemFilter(ErrorMapping mapping) implements Filter {
    @Override
    public Response filter(Request request, Handler next) {
        try {
            return next.handle(request).recover(failure -> {
                throw problem(request, failure);
            });
        } catch (NeedsThread signal) {
            throw signal;
        } catch (RuntimeException failure) {
            throw problem(request, failure);
        }
    }

    private ProblemException problem(Request request, Throwable failure) {
        return failure instanceof ProblemException known
                ? known
                : mapping.toProblem(request, failure).raise();
    }
}
