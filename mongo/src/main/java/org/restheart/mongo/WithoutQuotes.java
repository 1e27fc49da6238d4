package org.restheart.mongo;

import java.util.Optional;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.guard.HiddenFields;

/// A handler whose problems do not contain MongoDB's messages, since these quote documents that the caller may not see.
///
/// @param handler its failures are converted
record WithoutQuotes(DataHandler handler) implements DataHandler {
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
