package org.restheart.graphql;

import graphql.ErrorType;
import graphql.ExecutionInput;
import graphql.ExecutionResult;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.Utf8Buffer;
import org.restheart.graphql.app.FieldMapping.Source;
import org.restheart.graphql.app.InvalidApp;
import org.restheart.graphql.app.Node;
import org.restheart.http.Content;
import org.restheart.http.Cors;
import org.restheart.http.ErrorStyle;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.attribute.Key;
import org.restheart.mongo.reading.DocumentReads;
import org.restheart.mongo.reading.ReadRights;

/// `POST {uri}/{app}`: answers queries to the apps that are defined. Thread-safe.
public final class GraphqlService implements Service, AutoCloseable {
    /// The database of definitions for this request, in place of the configured one.
    public static final Key<String> DEFINITIONS_DATABASE = Key.named("database of app definitions");

    private static final Cors CORS = new Cors("POST", Cors.DEFAULT_HEADERS, "");

    private final GraphqlConfig config;
    private final DocumentReads reads;
    private final BiFunction<Request, Source, ReadRights> rights;
    private final AppCatalog catalog;
    private final int skippedSegments;

    /// @param rights the read rights of a request on a collection; may block
    public GraphqlService(GraphqlConfig config, DocumentReads reads, BiFunction<Request, Source, ReadRights> rights) {
        this.config = config;
        this.reads = reads;
        this.rights = rights;
        this.catalog = new AppCatalog(reads, config);
        this.skippedSegments = RequestPath.parse(config.uri()).segments().size();
    }

    /// The guard of definitions in the data API.
    public DefinitionGuard guard() {
        return new DefinitionGuard(config, catalog);
    }

    @Override
    public String name() {
        return "graphql";
    }

    @Override
    public ErrorStyle errorStyle() {
        return ErrorStyle.GRAPHQL;
    }

    @Override
    public Cors cors(Request request) {
        return CORS;
    }

    @Override
    public Request prepare(Request request) {
        if (request.method() != Method.POST && request.method() != Method.OPTIONS) {
            throw (request.method() == Method.HEAD
                            ? Problem.bare(ProblemCode.METHOD_NOT_ALLOWED)
                            : Problem.of(ProblemCode.METHOD_NOT_ALLOWED, "Method Not Allowed"))
                    .with("Allow", "POST, OPTIONS")
                    .raise();
        }
        return request;
    }

    @Override
    public Response handle(Request request) {
        request.requireThread();
        Optional<ServedApp> app;
        try {
            app = find(request);
        } catch (InvalidApp e) {
            return GraphqlErrors.response(
                    400, "Invalid GraphQL app definition: " + e.getMessage(), ErrorType.ExecutionAborted);
        }
        return app.map(found -> answer(request, found))
                .orElseGet(() -> GraphqlErrors.response(404, "GraphQL app not found", ErrorType.ExecutionAborted));
    }

    private Optional<ServedApp> find(Request request) throws InvalidApp {
        var segments = request.path().segments();
        var uri = String.join("/", segments.subList(Math.min(skippedSegments, segments.size()), segments.size()))
                .replaceFirst("^/+", "");
        var database = request.attribute(DEFINITIONS_DATABASE)
                .orElse(config.definitions().getDatabaseName());
        return uri.isEmpty() ? Optional.empty() : catalog.find(database, uri);
    }

    private Response.Ready answer(Request request, ServedApp app) {
        var asked = QueryRequest.of(request);
        var query = query(app, asked);
        if (query.isEmpty()) {
            return asked.documentId().isPresent()
                    ? GraphqlErrors.response(400, "PersistedQueryNotFound", ErrorType.ValidationError)
                    : GraphqlErrors.response(400, "Query cannot be null", ErrorType.DataFetchingException);
        }
        if (config.queries().onlyStored() && !app.holds(query.get())) {
            return GraphqlErrors.response(
                    400, "only queries that the app holds are answered", ErrorType.ValidationError);
        }
        var execution = new Execution(request, reads, config.answers(), source -> rights.apply(request, source));
        try {
            return response(execution, run(execution, app, asked, query.get()));
        } catch (TimeoutException _) {
            return timedOut();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.of(ProblemCode.OVERLOADED, "the server is stopping").raise();
        }
    }

    private static Optional<String> query(ServedApp app, QueryRequest asked) {
        return asked.query()
                .filter(text -> !text.isEmpty())
                .or(() -> asked.documentId().flatMap(app::document));
    }

    private ExecutionResult run(Execution execution, ServedApp app, QueryRequest asked, String query)
            throws TimeoutException, InterruptedException {
        var input = ExecutionInput.newExecutionInput()
                .query(query)
                .operationName(asked.operationName().orElse(null))
                .variables(asked.variables())
                .root(Node.NOTHING)
                .graphQLContext(Map.of(Execution.class, execution))
                .dataLoaderRegistry(execution.loaders())
                .build();
        var limit = config.answers().timeLimit();
        long deadline = limit.isZero() ? 0 : System.nanoTime() + limit.toNanos();
        return execution.loop().await(app.engine().executeAsync(input), deadline);
    }

    private Response.Ready response(Execution execution, ExecutionResult result) {
        if (execution.fatal().isPresent()) {
            var problem = execution.fatal().get();
            return problem.code() == ProblemCode.QUERY_TIMED_OUT
                    ? timedOut()
                    : GraphqlErrors.response(
                            500,
                            "Unable to establish a connection to the database: " + problem.message(),
                            ErrorType.ExecutionAborted);
        }
        try {
            var json = ResultJson.of(
                    result,
                    config.answers().verbose()
                            ? Map.of("dataloader", Map.of("overall-statistics", execution.statistics()))
                            : Map.of(),
                    config.answers().maxBytes());
            boolean failed = !result.getErrors().isEmpty() && result.getData() == null;
            return Response.status(failed ? 400 : 200)
                    .with(GraphqlErrors.MEDIA_TYPE, new Content.Bytes(json.toByteBuffer()));
        } catch (ResultJson.TooLong _) {
            return GraphqlErrors.response(
                    400,
                    "the response is larger than " + config.answers().maxBytes() + " bytes",
                    ErrorType.ExecutionAborted);
        }
    }

    private Response.Ready timedOut() {
        return GraphqlErrors.response(
                408,
                "Maximum query time limit of " + config.answers().timeLimit().toMillis() + "ms exceeded",
                ErrorType.ExecutionAborted);
    }

    @Override
    public void close() {
        catalog.close();
    }

    /// Responses with a single error.
    private static final class GraphqlErrors {
        static final String MEDIA_TYPE = "application/graphql-response+json";

        private GraphqlErrors() {}

        static Response.Ready response(int status, String message, ErrorType type) {
            var out = new Utf8Buffer();
            JsonEncoder.of(JsonMode.DEFAULT).encode(body(message, type), out);
            return Response.status(status).with(MEDIA_TYPE, new Content.Bytes(out.toByteBuffer()));
        }

        static BsonDocument body(String message, ErrorType type) {
            var error = new BsonDocument("message", new BsonString(message))
                    .append("locations", new BsonArray())
                    .append("extensions", new BsonDocument("classification", new BsonString(type.name())));
            return new BsonDocument("errors", new BsonArray(List.of(error)));
        }
    }
}
