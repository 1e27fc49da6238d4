package org.restheart.mongo;

import static org.restheart.http.ProblemCode.METHOD_NOT_ALLOWED;
import static org.restheart.http.ProblemCode.NOT_FOUND;

import java.util.Locale;
import java.util.Optional;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.DataFacts;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.DocumentRule;
import org.restheart.mongo.guard.ForbiddenOperators;
import org.restheart.mongo.guard.HiddenFields;
import org.restheart.mongo.metadata.Known;
import org.restheart.mongo.parameter.ParameterSettings;
import org.restheart.mongo.parameter.Parameters;
import org.restheart.mongo.parameter.SessionParameter;
import org.restheart.mongo.resource.ResourceMethods;
import org.restheart.mongo.resource.ResourceNames;
import org.restheart.mongo.resource.ResourcePath;
import org.restheart.mongo.schema.SchemaAccess;
import org.restheart.mongo.schema.Schemas;
import org.restheart.mongo.session.Sessions;

/// Checks a request, always in the same order, since the first error is reported, and runs its handler. Thread-safe.
final class RequestDispatcher {
    private final ParameterSettings parameterSettings;
    private final ForbiddenOperators forbiddenOperators;
    private final Existence existence;
    private final Sessions sessions;
    private final MongoRoutes routes;
    private final Schemas schemas;
    private final SchemaAccess access;
    private final WriteInvalidation invalidation;

    RequestDispatcher(
            ParameterSettings parameterSettings,
            ForbiddenOperators forbiddenOperators,
            Existence existence,
            Sessions sessions,
            MongoRoutes routes,
            Schemas schemas,
            SchemaAccess access,
            WriteInvalidation invalidation) {
        this.parameterSettings = parameterSettings;
        this.forbiddenOperators = forbiddenOperators;
        this.existence = existence;
        this.sessions = sessions;
        this.routes = routes;
        this.schemas = schemas;
        this.access = access;
        this.invalidation = invalidation;
    }

    /// Checks names, parameters, existence, session and method, in this order.
    Response dispatch(Request request) {
        var path = request.require(ResourcePath.KEY);
        ResourceNames.check(path);
        var parameters = Parameters.parse(request, path, parameterSettings);
        forbiddenOperators.check(parameters);
        var fresh = parameters.noCache() || ResourceMethods.changeProperties(path.kind(), request.method());
        var resource = existence.require(request, path, fresh);
        var session = SessionParameter.parse(request.query());
        if (!ResourceMethods.allow(path.kind(), request.method())) {
            throw Problem.of(METHOD_NOT_ALLOWED, "method " + request.method() + " not allowed")
                    .raise();
        }
        if (path.surplus() && path.kind() != ResourceKind.CHANGE_STREAM) {
            throw nothingBelow(path.kind());
        }
        var handler = routes.find(path.kind(), request.method());
        var dataRequest = new DataRequest(
                request,
                path,
                parameters,
                resource,
                session.filter(_ -> path.kind().holdsDocuments())
                        .flatMap(parameter -> sessions.of(request, parameter, parameters)),
                rule(request, path, resource));
        forbiddenOperators.checkContent(dataRequest);
        HiddenFields.check(dataRequest);
        var factsOnly = request.attribute(DataFacts.ASKED);
        if (factsOnly.isPresent()) {
            factsOnly.get().accept(new DataFacts(path.kind(), dataRequest.grant(), resource.properties()));
            return Response.status(204);
        }
        DataHandler effective = HiddenFields.mayNotBeQuoted(dataRequest) ? new WithoutQuotes(handler) : handler;
        return request.method().isSafe() || path.kind() == ResourceKind.AGGREGATIONS
                ? effective.handle(dataRequest)
                : invalidation.around(path, request.method(), () -> effective.handle(dataRequest));
    }

    private static ProblemException nothingBelow(ResourceKind kind) {
        var name = kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        return Problem.of(NOT_FOUND, "there is nothing below a " + name).raise();
    }

    /// The rule for documents of the path's collection, or for schemas of its store.
    private Optional<DocumentRule> rule(Request request, ResourcePath path, Known resource) {
        if (path.kind().isSchemas()) {
            return Optional.of(access.ofSchemas(request, path.requireDb()));
        }
        return path.collection() == null ? Optional.empty() : schemas.of(request, path.requireDb(), resource);
    }
}
