package org.restheart.core.filter;

import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.restheart.http.Fatal;
import org.restheart.http.Handler;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The only place where an exception becomes an HTTP status. Thread-safe.
///
/// Failures of the server are logged here, once, with the request's id; the client gets no details.
public final class ErrorMapping {
    private static final Logger LOG = LoggerFactory.getLogger(ErrorMapping.class);
    private static final Problem UNEXPECTED =
            Problem.of(ProblemCode.INTERNAL, "Error handling the request, see log for more information");

    private final Function<Throwable, Optional<Problem>> known;

    /// @param known maps failures that core does not depend on, such as the driver's
    public ErrorMapping(Function<Throwable, Optional<Problem>> known) {
        this.known = known;
    }

    Problem toProblem(Request request, Throwable failure) {
        return switch (failure) {
            case ProblemException refused -> refused.problem();
            case CompletionException wrapper when wrapper.getCause() != null -> toProblem(request, wrapper.getCause());
            case CancellationException _ -> {
                LOG.debug("request {} was canceled, as its client has disconnected", request.id(), failure);
                yield UNEXPECTED; // which nobody receives
            }
            default -> fault(request, failure);
        };
    }

    private Problem fault(Request request, Throwable failure) {
        var problem = known.apply(failure);
        if (problem.isEmpty()) {
            Fatal.exitOn(failure);
            LOG.error("request {} failed unexpectedly", request.id(), failure);
        } else if (problem.get().status() >= 500) {
            LOG.warn(
                    "request {} failed with {}: {}", request.id(), problem.get().code(), failure.toString());
        }
        return problem.orElse(UNEXPECTED);
    }

    /// A filter that converts exceptions to problems, for services with their own error format.
    Response toProblems(Request request, Handler next) {
        try {
            return next.handle(request).recover(failure -> {
                throw raised(request, failure);
            });
        } catch (RuntimeException failure) {
            throw raised(request, failure);
        }
    }

    private ProblemException raised(Request request, Throwable failure) {
        return failure instanceof ProblemException known
                ? known
                : toProblem(request, failure).raise();
    }
}
