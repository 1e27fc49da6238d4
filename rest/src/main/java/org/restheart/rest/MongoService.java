package org.restheart.rest;

import static org.restheart.http.ProblemCode.NOTHING_BOUND;
import static org.restheart.http.parameter.DataParameter.EXPLAIN;
import static org.restheart.http.parameter.DataParameter.ID_TYPE;
import static org.restheart.http.parameter.DataParameter.WRITE_MODE;

import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.bson.BsonValue;
import org.restheart.data.Privilege;
import org.restheart.http.Connection;
import org.restheart.http.Cors;
import org.restheart.http.FoundWarnings;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.Service.ErrorStyle;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.DataCatalog;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.RequestKind;
import org.restheart.http.parameter.OperationTable;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.rest.changestream.ChangeStreams;
import org.restheart.rest.changestream.Reauthorization;
import org.restheart.rest.content.ContentWarnings;
import org.restheart.rest.content.DataContent;
import org.restheart.rest.description.Descriptions;
import org.restheart.rest.file.FileHandlers;
import org.restheart.rest.format.Export;
import org.restheart.rest.guard.ForbiddenOperators;
import org.restheart.rest.management.PropertyWarnings;
import org.restheart.rest.parameter.ParameterWarnings;
import org.restheart.rest.reading.DocumentReads;
import org.restheart.rest.resource.IdType;
import org.restheart.rest.resource.Mounts;
import org.restheart.rest.resource.Mounts.UriSpace;
import org.restheart.rest.resource.ResourceMethods;
import org.restheart.rest.resource.ResourcePath;
import org.restheart.rest.schema.SchemaWarnings;
import org.restheart.rest.schema.Schemas;
import org.restheart.rest.session.OwnTransactions;

/// The data API: everything below the mounts. Thread-safe.
public final class MongoService implements Service, AutoCloseable {
    /// In bytes. Parsing more would delay other connections.
    private static final int LARGEST_ON_IO_THREAD = 32 << 10;

    /// For paths without a request; mounts that depend on the server's name do not match.
    private static final Connection NOWHERE = new Connection(
            "http",
            "HTTP/1.1",
            "",
            InetSocketAddress.createUnresolved("", 0),
            InetSocketAddress.createUnresolved("", 0));

    private final MongoParts parts;

    /// @param tasks closed by the caller, after this
    public MongoService(BackgroundTasks tasks, MongoConfig config, MongoClient client, MeterRegistry registry) {
        this(
                tasks,
                config,
                client,
                new MemoryBudget(MemoryBudget.Part.DATA.bytes()),
                new ChangeStreams(tasks, client, config.streams(), registry, Reauthorization.ALWAYS),
                registry,
                (_, _) -> Response.status(204));
    }

    /// @param streams of the same deployment, by a separate client: they do not use the connections of requests
    /// @param judged requests of callers, to this service among others
    public MongoService(
            BackgroundTasks tasks,
            MongoConfig config,
            MongoClient client,
            MemoryBudget memory,
            ChangeStreams streams,
            MeterRegistry registry,
            JudgedRequests judged) {
        this.parts = new MongoParts(tasks, config, client, memory, streams, registry, judged);
    }

    /// The cached metadata of databases and collections, for services that change them in other ways.
    public Metadata metadata() {
        return parts.metadata;
    }

    /// The forbidden operators, for services that take filters in other ways.
    public ForbiddenOperators forbiddenOperators() {
        return parts.forbiddenOperators;
    }

    /// The path of a collection for clients; empty if there is none.
    public Optional<RequestPath> pathOf(MongoNamespace namespace) {
        return parts.mounts.pathOf(namespace.getDatabaseName(), namespace.getCollectionName());
    }

    /// The names that a path means, of a database or of a database and a collection, whether they exist or not; none
    /// for another resource.
    public List<String> namesAt(String path) {
        return parts.mounts
                .resolve(RequestPath.parse(path), NOWHERE)
                .map(Mounts.Located::path)
                .map(named -> switch (named.kind()) {
                    case DB -> List.of(named.requireDb());
                    case COLLECTION -> List.of(named.requireDb(), named.requireCollection());
                    default -> List.<String>of();
                })
                .orElse(List.of());
    }

    /// Why requests for a path, or below it, mean something else than their author thinks, or do not exist.
    public Optional<String> unreachable(List<String> path) {
        return parts.mounts.unreachable(path);
    }

    /// The reads of services other than the data API.
    public DocumentReads reads() {
        return parts.reads;
    }

    public OwnTransactions transactions() {
        return parts.transactions;
    }

    public Descriptions descriptions() {
        return parts.descriptions;
    }

    public DataPaths paths() {
        return parts.mounts;
    }

    /// What there is in MongoDB, for services that list what their callers may see.
    public DataCatalog catalog() {
        return parts.catalog;
    }

    /// The JSON Schemas of documents, for services that write them in other ways.
    public Schemas schemas() {
        return parts.schemas;
    }

    /// Closes cursors and streams that are open in MongoDB between requests.
    @Override
    public void close() {
        parts.close();
    }

    @Override
    public ErrorStyle errorStyle() {
        return ErrorStyle.STATUS;
    }

    /// Requests that can be coalesced need no thread of their own; others call [Request#requireThread()] when
    /// they have to block. Exports of queries always do, so they begin on a thread.
    @Override
    public boolean startsOnIoThread(Request request) {
        return switch (request.method()) {
            case GET -> !Export.mayBeWanted(request.headers()) || isOf(ResourceKind.DOCUMENT::equals, request);
            case POST, PUT, PATCH, DELETE -> !request.body().isLongerThan(LARGEST_ON_IO_THREAD);
            case HEAD, OPTIONS -> false;
        };
    }

    @Override
    public boolean answersJudgedRequests() {
        return true;
    }

    @Override
    public boolean streamsContent(Request request) {
        return DataContent.isMany(request) || isUpload(request);
    }

    private boolean isUpload(Request request) {
        return isOf(kind -> FileHandlers.isUpload(request, kind), request);
    }

    private boolean isOf(Predicate<ResourceKind> kinds, Request request) {
        try {
            return parts.mounts
                    .resolve(request.path(), request.connection())
                    .filter(located -> kinds.test(located.path().kind()))
                    .isPresent();
        } catch (ProblemException _) { // thrown again when it is prepared
            return false;
        }
    }

    @Override
    public Request prepare(Request request) {
        var located = parts.mounts
                .resolve(request.path(), request.connection())
                .orElseThrow(() -> new ProblemException(
                        NOTHING_BOUND,
                        "No MongoDB resource bound for " + request.path().decoded()));
        var path = located.path();
        var content = FileHandlers.metadata(request, path.kind())
                .orElseGet(() -> DataContent.isMany(request)
                        ? RequestContent.arriving(() -> DataContent.parse(request))
                        : new RequestContent(() -> isOfProperties(request, path.kind())
                                ? DataContent.parseProperties(request)
                                : request.method() == Method.PATCH
                                        ? DataContent.parseChange(request)
                                        : DataContent.parse(request)));
        return request.with(request.attributes()
                .with(ResourcePath.KEY, path)
                .with(UriSpace.KEY, located.space())
                .with(DataTarget.KEY, target(request, path))
                .with(RequestContent.KEY, content));
    }

    private static boolean isOfProperties(Request request, ResourceKind kind) {
        return (kind == ResourceKind.DB || kind == ResourceKind.COLLECTION)
                && (request.method() == Method.PUT || request.method() == Method.PATCH);
    }

    private static DataTarget target(Request request, ResourcePath path) {
        return new DataTarget(
                path.database(),
                Optional.ofNullable(path.collection()),
                targetId(request, path),
                path.kind(),
                request.attribute(JudgedRequest.OPERATION)
                        .orElseGet(() -> OperationTable.of(path.kind(), request.method())),
                demands(request, path));
    }

    /// Absent for a malformed id: the handler refuses such a request after the rules were evaluated.
    private static Optional<BsonValue> targetId(Request request, ResourcePath path) {
        if (!path.kind().hasId()) {
            return Optional.empty();
        }
        try {
            var type = ID_TYPE.isIn(request.query())
                    ? ID_TYPE.choice(request.query()).map(IdType::valueOf)
                    : Optional.of(IdType.STRING_OID);
            return type.map(known -> known.parse(path.requireName()));
        } catch (ProblemException _) {
            return Optional.empty();
        }
    }

    private static boolean isExplained(ResourceKind kind) {
        return kind == ResourceKind.COLLECTION || kind == ResourceKind.FILES_BUCKET || kind == ResourceKind.AGGREGATION;
    }

    private static EnumSet<Privilege> demands(Request request, ResourcePath path) {
        var demands = RequestKind.demands(path.kind(), request.method());
        if (!request.method().isSafe() && WRITE_MODE.isIn(request.query())) {
            demands.add(Privilege.WRITE_MODE);
        }
        if (EXPLAIN.isIn(request.query()) && isExplained(path.kind())) {
            demands.add(Privilege.MANAGEMENT);
        }
        return demands;
    }

    @Override
    public Cors cors(Request request) {
        return request.attribute(ResourcePath.KEY)
                .map(path -> ResourceMethods.cors(path.kind(), request.method()))
                .orElseGet(() -> ResourceMethods.cors(ResourceKind.INVALID, request.method()));
    }

    @Override
    public boolean answersHead() {
        return true;
    }

    @Override
    public Response handle(Request sent) {
        var request = answerable(sent);
        var warnings = ParameterWarnings.of(request, parts.parameterSettings);
        try {
            return warned(request, warnings.all()).mapFailure(failure -> WarningsBody.add(request, failure, warnings));
        } catch (ProblemException e) {
            throw WarningsBody.add(request, e, warnings);
        }
    }

    private Response warned(Request request, List<String> warnings) {
        boolean isPlainRead = request.method() == Method.GET
                && request.query().names().isEmpty()
                && request.attribute(FoundWarnings.KEY).isEmpty()
                && request.require(ResourcePath.KEY).kind() != ResourceKind.AGGREGATION;
        if (isPlainRead && warnings.isEmpty()) {
            return parts.dispatcher.dispatch(request);
        }
        var collecting = FoundWarnings.collecting(request);
        var found = collecting.require(FoundWarnings.KEY);
        return parts.dispatcher
                .dispatch(warnings.isEmpty() ? collecting : collecting.with(ParameterWarnings.KEY, warnings))
                .map(response -> {
                    var all = new ArrayList<>(warnings);
                    all.addAll(PropertyWarnings.of(request));
                    all.addAll(SchemaWarnings.of(request));
                    all.addAll(ContentWarnings.of(request));
                    all.addAll(found);
                    return all.isEmpty() ? response : WarningsBody.add(request, response, all);
                });
    }

    /// `HEAD` is a `GET` whose content is not sent (RFC 9110, 9.3.2). Files are answered separately, without
    /// their chunks; a stream without content has no use.
    private static Request answerable(Request sent) {
        boolean translated = sent.method() == Method.HEAD
                && switch (sent.require(ResourcePath.KEY).kind()) {
                    case FILE_BINARY, CHANGE_STREAM -> false;
                    default -> true;
                };
        return translated ? sent.with(Method.GET) : sent;
    }
}
