package org.restheart.mongo;

import java.util.Optional;
import java.util.function.Supplier;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.JudgedRequest.DataFacts;
import org.restheart.mongo.description.Descriptions;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.guard.HiddenFields;
import org.restheart.mongo.resource.ResourcePath;
import org.restheart.mongo.schema.Schemas;

/// Checks requests, runs their handlers, and invalidates what is cached of MongoDB's content that they
/// change. Thread-safe.
///
/// @param descriptions are invalidated by changes of the structure
/// @param schemas are compiled again after changes of schema stores
record RequestDispatcher(RequestChecks checks, MongoRoutes routes, Descriptions descriptions, Schemas schemas) {
    Response dispatch(Request request) {
        var checked = checks.check(request);
        var path = checked.path();
        if (request.attribute(DataFacts.ASKED).orElse(false)) {
            return Response.status(204)
                    .saying(new DataFacts(
                            path.kind(), checked.grant(), checked.resource().properties()));
        }
        var handler = routes.find(path.kind(), request.method());
        Supplier<Response> answer = () -> HiddenFields.hidesErrorDetails(checked.http())
                ? withoutQuotes(handler, checked)
                : handler.handle(checked);
        return checked.operation() instanceof Structure
                        || (checked.operation() instanceof Write && path.kind().isSchemas())
                ? invalidating(path, answer)
                : answer.get();
    }

    /// Invalidates what is known of a structure after its change, also after a failed one, part of which may
    /// have been done.
    private Response invalidating(ResourcePath path, Supplier<Response> write) {
        try {
            return write.get().whenDone(() -> written(path));
        } finally {
            written(path);
        }
    }

    private void written(ResourcePath path) {
        descriptions.forget(path.requireDb());
        if (path.kind().isSchemas() || path.kind() == ResourceKind.DB) {
            schemas.changed();
        }
    }

    /// The answer of a handler whose problems do not contain MongoDB's messages, since these quote documents
    /// that the caller may not see.
    private static Response withoutQuotes(DataHandler handler, DataRequest request) {
        boolean showsTag = HiddenFields.showsTag(request);
        try {
            return handler.handle(request).mapFailure(failure -> unquoted(failure, showsTag));
        } catch (RuntimeException e) {
            throw unquoted(e, showsTag);
        }
    }

    private static RuntimeException unquoted(RuntimeException failure, boolean showsTag) {
        var problem = failure instanceof ProblemException refused
                ? Optional.of(refused.problem())
                : MongoErrors.toProblem(failure);
        if (problem.isPresent()) {
            var quoting = problem.get();
            var shown = showsTag ? quoting.unquoting() : quoting.unquoting().without("ETag");
            if (!shown.equals(quoting)) {
                return shown.raise();
            }
        }
        return failure;
    }
}
