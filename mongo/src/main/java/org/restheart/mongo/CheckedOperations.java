package org.restheart.mongo;

import org.restheart.bson.RawDocuments;
import org.restheart.data.Executor;
import org.restheart.data.Executor.Found;
import org.restheart.data.Flow;
import org.restheart.data.Operation.Authorized;
import org.restheart.data.Operation.Get;
import org.restheart.http.Request;
import org.restheart.http.judged.DataService;
import org.restheart.mongo.guard.ForbiddenOperators;
import org.restheart.mongo.guard.HiddenFields;
import org.restheart.mongo.resource.ResourceNames;
import org.restheart.mongo.resource.ResourcePath;

/// Expands operations of ways in other than REST by metadata, checks them as [RequestChecks] does requests, and has
/// them
/// carried out by the executor. Thread-safe.
record CheckedOperations(Existence existence, ForbiddenOperators operators, Executor executor) {
    /// @param evidence has the caller's access
    Flow<Found> get(Request evidence, Get get) {
        var path = evidence.require(ResourcePath.KEY);
        var access = evidence.caller().grant();
        ResourceNames.check(path);
        operators.checkProjection(get.keys());
        var resource = existence.require(evidence, path, false);
        HiddenFields.checkKeys(access, get.keys());
        var found = executor.get(new Authorized<>(get, access, resource.plain()))
                .mapFailure(failure ->
                        HiddenFields.hidesErrorDetails(evidence) && failure instanceof RuntimeException quoting
                                ? RequestDispatcher.unquoted(quoting, false)
                                : failure);
        return evidence.attribute(DataService.SHOWN)
                .map(shown -> found.map(stored -> new Found(
                        stored.document().map(document -> RawDocuments.encode(shown.apply(document))),
                        stored.sharing())))
                .orElse(found);
    }
}
