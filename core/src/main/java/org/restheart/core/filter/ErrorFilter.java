package org.restheart.core.filter;

import org.restheart.core.config.ErrorBodies;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.NeedsThread;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Response.Ready;
import org.restheart.http.Service;

/// Converts exceptions of the following steps to responses, also those of deferred responses.
final class ErrorFilter implements Filter {
    private final Service service;
    private final ErrorMapping mapping;
    private final ProblemWriter writer;

    ErrorFilter(Service service, ErrorMapping mapping, ErrorBodies bodies) {
        this.service = service;
        this.mapping = mapping;
        this.writer = new ProblemWriter(service.errorStyle(), bodies);
    }

    @Override
    public Response filter(Request request, Handler next) {
        try {
            return next.handle(request).recover(failure -> answer(request, failure));
        } catch (NeedsThread signal) {
            throw signal;
        } catch (RuntimeException failure) {
            return answer(request, failure);
        }
    }

    private Ready answer(Request request, Throwable failure) {
        var problem = mapping.toProblem(request, failure);
        return service.errorResponse(request, problem)
                .map(response -> response.with(problem.headers()))
                .orElseGet(() -> writer.write(request, problem));
    }
}
