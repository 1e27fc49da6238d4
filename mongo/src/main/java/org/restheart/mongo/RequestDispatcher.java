package org.restheart.mongo;

import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.DataFacts;
import org.restheart.mongo.exchange.DataHandler;
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
}
