package org.restheart.mongo;

import java.util.Optional;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.DataFacts;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.guard.HiddenFields;

/// Checks requests and runs their handlers. Thread-safe.
record RequestDispatcher(RequestChecks checks, MongoRoutes routes, WriteInvalidation invalidation) {
    Response dispatch(Request request) {
        var checked = checks.check(request);
        var path = checked.path();
        var factsOnly = request.attribute(DataFacts.ASKED);
        if (factsOnly.isPresent()) {
            factsOnly
                    .get()
                    .accept(new DataFacts(
                            path.kind(), checked.grant(), checked.resource().properties()));
            return Response.status(204);
        }
        var handler = routes.find(path.kind(), request.method());
        DataHandler effective = HiddenFields.mayNotBeQuoted(checked) ? new WithoutQuotes(handler) : handler;
        return request.method().isSafe() || path.kind() == ResourceKind.AGGREGATIONS
                ? effective.handle(checked)
                : invalidation.around(path, request.method(), () -> effective.handle(checked));
    }

    /// A handler whose problems do not contain MongoDB's messages, since these quote documents that the caller may not
    /// see.
    ///
    /// @param handler its failures are converted
    private record WithoutQuotes(DataHandler handler) implements DataHandler {
        @Override
        public Response handle(DataRequest request) {
            try {
                return handler.handle(request).mapFailure(failure -> unquoted(failure, request));
            } catch (RuntimeException e) {
                throw unquoted(e, request);
            }
        }

        private static RuntimeException unquoted(RuntimeException failure, DataRequest request) {
            var problem = failure instanceof ProblemException refused
                    ? Optional.of(refused.problem())
                    : MongoErrors.toProblem(failure);
            if (problem.isPresent()) {
                var quoting = problem.get();
                var shown = HiddenFields.showsTag(request)
                        ? quoting.unquoting()
                        : quoting.unquoting().without("ETag");
                if (!shown.equals(quoting)) {
                    return shown.raise();
                }
            }
            return failure;
        }
    }
}
