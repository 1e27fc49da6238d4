package org.restheart.mongo;

import java.util.Optional;
import java.util.function.Supplier;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
import org.restheart.http.Handler;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.mongo.description.Descriptions;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.exchange.Caching;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.guard.HiddenFields;
import org.restheart.mongo.guard.IndexCheck;
import org.restheart.mongo.resource.ResourcePath;
import org.restheart.mongo.schema.Schemas;
import org.restheart.mongo.session.OwnTransactions.Attempt;

/// Checks requests, runs their handlers, and invalidates what is cached of MongoDB's content that they
/// change. Thread-safe.
///
/// @param descriptions are invalidated by changes of the structure
/// @param schemas are compiled again after changes of schema stores
/// @param indexes are looked at again after changes of the structure
record RequestDispatcher(
        RequestChecks checks, MongoRoutes routes, Descriptions descriptions, Schemas schemas, IndexCheck indexes) {
    Response dispatch(Request request) {
        var checked = checks.check(request);
        var path = checked.path();
        if (Answer.of(request, Answer.Facts.class).isPresent()) {
            return Response.status(204).saying(checked);
        }
        var operation = checked.operation();
        var handler = routes.find(path.kind(), operation);
        Handler step = http -> handler.handle(http.mayBlock() ? checked.with(http) : checked);
        return operation instanceof Structure
                        || (operation instanceof Write && path.kind().isSchemas())
                ? invalidating(path, () -> answer(step, checked))
                : operation instanceof Read read
                                && request.attribute(Answer.KEY).isEmpty()
                        ? Caching.withHeaders(checked, read, answer(step, checked))
                        : answer(step, checked);
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
        indexes.forget(path.requireDb());
        if (path.kind().isSchemas() || path.kind() == ResourceKind.DB) {
            schemas.changed();
        }
    }

    private static Response answer(Handler step, DataRequest request) {
        return request.session().isPresent()
                ? request.http()
                        .attribute(Attempt.KEY)
                        .map(attempt -> shown(attempt.noting(step), request))
                        .orElseGet(() -> shown(step, request))
                : shown(step, request);
    }

    /// Problems do not contain MongoDB's messages where these may quote documents that the caller may not see.
    private static Response shown(Handler step, DataRequest request) {
        if (!HiddenFields.hidesErrorDetails(request.http())) {
            return step.resumed(request.http());
        }
        boolean showsTag = HiddenFields.showsTag(request);
        try {
            return step.resumed(request.http()).mapFailure(failure -> unquoted(failure, showsTag));
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
