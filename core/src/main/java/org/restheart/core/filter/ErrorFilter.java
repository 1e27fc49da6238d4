package org.restheart.core.filter;

import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.core.config.CoreConfig.ErrorBodies;
import org.restheart.http.Accepted;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Response.Ready;
import org.restheart.http.Service;
import org.restheart.http.Service.ErrorStyle;
import org.restheart.http.parameter.DataParameter;

/// Converts exceptions of the following steps to responses, also those of deferred responses.
///
/// @param problemDetails whether all clients get RFC 9457, other than those of GraphQL, which has a format of its own
record ErrorFilter(Service service, ErrorMapping mapping, ErrorBodies bodies, boolean problemDetails)
        implements Filter {
    private static final String GRAPHQL_JSON = "application/graphql-response+json";
    private static final String PROBLEM_JSON = "application/problem+json";

    @Override
    public Response filter(Request request, Handler next) {
        try {
            return next.handle(request).recover(failure -> answer(request, failure));
        } catch (RuntimeException failure) {
            return answer(request, failure);
        }
    }

    private Ready answer(Request request, Throwable failure) {
        var problem = mapping.toProblem(request, failure);
        return service.errorResponse(request, problem)
                .map(response -> response.with(problem.headers()))
                .orElseGet(() -> body(request, problem).with(problem.headers()));
    }

    /// In the shape that the client expects: the service's own, or RFC 9457 when it asks for that.
    private Ready body(Request request, Problem problem) {
        if (!bodies.include(problem)) {
            return Response.status(problem.status())
                    .with("Content-Type", service.errorStyle() == ErrorStyle.GRAPHQL ? GRAPHQL_JSON : Response.JSON);
        }
        if (asksForProblemJson(request)) {
            return json(problem, JsonMode.DEFAULT, standard(bodies.shown(problem)))
                    .with("Content-Type", PROBLEM_JSON);
        }
        return switch (service.errorStyle()) {
            case GRAPHQL -> json(problem, JsonMode.DEFAULT, graphql(problem)).with("Content-Type", GRAPHQL_JSON);
            case STATUS -> json(problem, mode(request), bodies.shown(problem).toStatusDocument());
            case MESSAGE -> json(problem, JsonMode.DEFAULT, problem.toMessageDocument());
        };
    }

    /// An error as GraphQL has it (GraphQL, 7.1.2).
    private static BsonDocument graphql(Problem problem) {
        var extensions = new BsonDocument("classification", new BsonString("ExecutionAborted"));
        if (problem.code() == ProblemCode.METHOD_NOT_ALLOWED) { // clients know the message
            extensions.append("hint", new BsonString("operations are sent by POST"));
        }
        var error = new BsonDocument("message", new BsonString(problem.message()))
                .append("locations", new BsonArray())
                .append("extensions", extensions);
        return new BsonDocument("errors", new BsonArray(List.of(error)));
    }

    private static Ready json(Problem problem, JsonMode mode, BsonDocument document) {
        return Response.json(problem.status(), JsonEncoder.of(mode).encodeToString(document))
                .with(Accepted.VARY);
    }

    /// Errors of the data API are written like its documents.
    private static JsonMode mode(Request request) {
        return DataParameter.JSON_MODE
                .choice(request.query())
                .flatMap(JsonMode::of)
                .orElse(JsonMode.DEFAULT);
    }

    private boolean asksForProblemJson(Request request) {
        return (problemDetails && service.errorStyle() != ErrorStyle.GRAPHQL)
                || Accepted.of(request.headers()).named(PROBLEM_JSON) > 0;
    }

    /// RFC 9457, 3.1; `code`, `warnings` and `index` are extension members.
    private static BsonDocument standard(Problem problem) {
        var document = new BsonDocument("type", new BsonString("about:blank"))
                .append("title", new BsonString(problem.code().title()))
                .append("status", new BsonInt32(problem.status()))
                .append("detail", new BsonString(problem.message()))
                .append("code", new BsonString(problem.code().name()));
        var notes = problem.notes();
        if (!notes.isEmpty()) {
            document.append("warnings", BsonTexts.array(notes));
        }
        problem.index().ifPresent(index -> document.append("index", new BsonInt32(index)));
        return document;
    }
}
