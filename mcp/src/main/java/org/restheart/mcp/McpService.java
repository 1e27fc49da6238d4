package org.restheart.mcp;

import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import javax.crypto.SecretKey;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.Content;
import org.restheart.http.Cors;
import org.restheart.http.Headers;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.judged.DataCatalog;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.push.PushBudget;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `POST {uri}`: one request or notification of the Model Context Protocol. Stateless.
/// Thread-safe.
public final class McpService implements Service {
    private static final Logger LOG = LoggerFactory.getLogger(McpService.class);
    private static final Cors CORS =
            new Cors("POST", Cors.DEFAULT_HEADERS + ", MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id", "");
    private static final JsonEncoder JSON = JsonEncoder.of(JsonMode.RELAXED);
    static final String TYPE = "application/json";
    private static final String FIND = "\"" + Tool.FIND.toolName() + "\"";
    private static final Pattern REFUSED_TYPE = Pattern.compile(".*;\\s*q=0(\\.0*)?");
    private static final int LARGEST_ON_IO_THREAD = 4 << 10;

    private final McpConfig config;
    private final Surroundings surroundings;
    private final McpMethods methods;
    private final VisibleCollections visible;
    private final AuditLog audit;
    private final CallRecords records;
    private final McpMeters meters;

    /// Dependencies on the server.
    ///
    /// @param baseUrl the public URL of the server for a request
    /// @param credential of the caller of a request
    /// @param otherChallenges of the server's authentication mechanisms, for a `401`
    /// @param permissions what callers may do, in advance
    /// @param pushed the budget of messages that clients have not received
    /// @param key of the HMACs of tokens; equal in all gateways that serve the same clients
    /// @param neverWritten namespaces of accounts, permissions and keys
    /// @param version of the server
    public record Surroundings(
            Function<Request, String> baseUrl,
            Function<Request, PresentedCredential> credential,
            Function<Request, List<String>> otherChallenges,
            KindPermissions permissions,
            PushBudget pushed,
            SecretKey key,
            Set<String> neverWritten,
            String version) {}

    /// @param registry takes the meters of this service
    public McpService(
            McpConfig config,
            JudgedRequests requests,
            DataPaths paths,
            DataCatalog catalog,
            Surroundings surroundings,
            MeterRegistry registry) {
        this.config = config;
        this.surroundings = surroundings;
        this.meters = new McpMeters(registry);
        var clock = InstantSource.system();
        this.audit = new AuditLog(config.audit(), config.auditValues(), clock);
        var calls = new JudgedCalls(requests, paths);
        this.visible = new VisibleCollections(catalog, calls, surroundings.permissions(), surroundings.neverWritten());
        var tokens = new SealedTokens(surroundings.key(), clock);
        var catalogs = new CatalogTools(config, calls, visible, new DeclaredFields(catalog, calls), tokens);
        var reads = new ReadTools(config, calls, tokens);
        var watches = new WatchTool(config, calls, tokens);
        var writing = config.writing().orElseGet(() -> new McpConfig.Writing(true, 0, true));
        var confirmations = new Confirmations(tokens, writing.requireElicitation());
        var writes = new WriteTools(writing, calls, confirmations, surroundings.neverWritten());
        var limits = new CallLimits(config.callsPerMinute(), config.concurrentCalls(), clock);
        var lists = new CallLimits(config.callsPerMinute(), config.concurrentCalls(), clock);
        var handlers = new ToolHandlers(catalogs, reads, watches, writes);
        this.records = new CallRecords(limits, lists, audit, meters);
        var tools = new Tools(config, visible, handlers, records, calls);
        var resources = new Resources(tools.offered(), visible, handlers, tokens, records);
        this.methods = new McpMethods(tools, resources, records, surroundings.version());
        if (!config.audit()) {
            LOG.warn("mcp: the audit log is off: calls of models are not recorded");
        }
    }

    /// Waits until the audit log has the calls that were answered.
    public void close() {
        audit.drain();
    }

    @Override
    public String name() {
        return "mcp";
    }

    /// The path to which it is bound.
    public String uri() {
        return config.uri();
    }

    @Override
    public Cors cors(Request request) {
        return CORS;
    }

    /// Calls of the tool that may need no thread to wait for it.
    @Override
    public boolean startsOnIoThread(Request request) {
        return request.method() == Method.POST
                && request.body().length() <= LARGEST_ON_IO_THREAD
                && new String(request.body().bytes(), StandardCharsets.ISO_8859_1).contains(FIND);
    }

    @Override
    public Response handle(Request request) {
        var problem = placeProblem(request);
        if (problem.isPresent()) {
            refused(request, surroundings.credential().apply(request), "origin");
            return error(403, Optional.empty(), RpcError.of(403, RpcError.INVALID_REQUEST, problem.get()));
        }
        if (!request.path().decoded().equals(config.uri())
                && !request.path().decoded().equals(config.uri() + "/")) {
            return error(
                    404,
                    Optional.empty(),
                    RpcError.of(404, RpcError.INVALID_REQUEST, "the endpoint is POST " + config.uri()));
        }
        if (request.method() != Method.POST) {
            return error(
                    405,
                    Optional.empty(),
                    RpcError.of(
                            405,
                            RpcError.INVALID_REQUEST,
                            "requests of the Model Context Protocol are POST " + config.uri()
                                    + "; there are no streams by GET"));
        }
        var credential = surroundings.credential().apply(request);
        if (!isLetIn(request)) {
            refused(request, credential, "unauthenticated");
            return unauthorized(request);
        }
        var scope = missingScope(credential, request);
        if (scope.isPresent()) {
            return scope.get();
        }
        if (!isJson(request.headers())) {
            return error(415, Optional.empty(), RpcError.of(415, RpcError.INVALID_REQUEST, "send " + TYPE));
        }
        if (!accepts(request.headers())) {
            return error(406, Optional.empty(), RpcError.of(406, RpcError.INVALID_REQUEST, "accept " + TYPE));
        }
        return answer(request, credential);
    }

    private void refused(Request request, PresentedCredential credential, String reason) {
        records.refused(new AuditLog.Call(request, Optional.empty(), credential, "", new BsonDocument()), reason);
    }

    /// The refusal of a request from a page of another site, or by a name that resolves to this computer (DNS
    /// rebinding).
    private Optional<String> placeProblem(Request request) {
        var host = hostOf(request.connection().hostAndPort());
        if (config.loopback() && !isLoopback(host) && !host.equals(configuredHost())) {
            return Optional.of(
                    "this server listens on loopback: call it localhost, or set mcp/base-url to the name by which clients know it");
        }
        for (var origin : request.headers().all("Origin")) {
            var own =
                    request.connection().scheme() + "://" + request.connection().hostAndPort();
            boolean isAllowed = origin.equalsIgnoreCase(own)
                    || config.baseUrl().filter(base -> sameOrigin(base, origin)).isPresent()
                    || config.allowedOrigins().stream().anyMatch(origin::equalsIgnoreCase);
            if (!isAllowed) {
                return Optional.of("this origin is not in mcp/allowed-origins");
            }
        }
        return Optional.empty();
    }

    private String configuredHost() {
        return config.baseUrl()
                .map(URI::create)
                .map(URI::getHost)
                .map(host -> host.toLowerCase(Locale.ROOT))
                .orElse("localhost");
    }

    private static boolean sameOrigin(String url, String origin) {
        var base = URI.create(url);
        return origin.equalsIgnoreCase(base.getScheme() + "://" + base.getRawAuthority());
    }

    private static String hostOf(String hostAndPort) {
        int colon = hostAndPort.lastIndexOf(':');
        boolean hasPort = colon > hostAndPort.lastIndexOf(']');
        return (hasPort ? hostAndPort.substring(0, colon) : hostAndPort).toLowerCase(Locale.ROOT);
    }

    private static boolean isLoopback(String host) {
        return host.equals("localhost") || host.equals("[::1]") || host.matches("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}");
    }

    /// Requires an account, unless rules may let anonymous callers read something. Costs the same however much there
    /// is.
    private boolean isLetIn(Request request) {
        if (request.caller().account().isPresent()) {
            return true;
        }
        return !request.headers().has("Authorization") && visible.mayReadAnything(request);
    }

    private Response.Ready unauthorized(Request request) {
        var response = error(401, Optional.empty(), RpcError.of(401, RpcError.INVALID_REQUEST, missingAccount(request)))
                .withAlso("WWW-Authenticate", "Bearer " + resourceMetadata(request) + ", scope=\"mcp:read\"");
        for (var challenge : surroundings.otherChallenges().apply(request)) {
            response = response.withAlso("WWW-Authenticate", challenge);
        }
        return response;
    }

    private static String missingAccount(Request request) {
        return request.headers().has("Authorization")
                ? "these credentials are not accepted: a wrong key, token or password, or one that has expired; keys and"
                        + " tokens are sent as Authorization: Bearer …"
                : "this needs an account: send a key or token as Authorization: Bearer …";
    }

    private String resourceMetadata(Request request) {
        return "resource_metadata=\"" + surroundings.baseUrl().apply(request) + "/.well-known/oauth-protected-resource"
                + config.uri() + "\"";
    }

    /// A token with scopes needs those of this service; other credentials have none.
    private Optional<Response.Ready> missingScope(PresentedCredential credential, Request request) {
        var scopes = credential.scopes();
        if (scopes.isEmpty()
                || (scopes.get().contains("mcp:read")
                        && (scopes.get().contains("mcp:write") || !asksToWrite(request)))) {
            return Optional.empty();
        }
        refused(request, credential, "scope");
        var needed = config.isReadOnly() ? "mcp:read" : "mcp:read mcp:write";
        return Optional.of(Response.status(403)
                .with("Content-Type", Response.JSON)
                .with(
                        "WWW-Authenticate",
                        "Bearer error=\"insufficient_scope\", scope=\"" + needed + "\", " + resourceMetadata(request)));
    }

    private boolean asksToWrite(Request request) {
        if (config.isReadOnly()) {
            return false;
        }
        try {
            return PlainJson.parse(request.body().bytes()) instanceof BsonDocument message
                    && message.get("params") instanceof BsonDocument params
                    && namesWriting(params);
        } catch (RpcError _) {
            return false; // reported below
        }
    }

    private boolean asksToWrite(RpcRequest rpc) {
        return !config.isReadOnly() && namesWriting(rpc.params());
    }

    private static boolean namesWriting(BsonDocument params) {
        return params.get("name") instanceof BsonString name
                && Tool.of(name.getValue()).filter(Tool::writes).isPresent();
    }

    private static boolean isJson(Headers headers) {
        return headers.first("Content-Type")
                .map(type -> type.split(";", 2)[0].strip())
                .filter(TYPE::equalsIgnoreCase)
                .isPresent();
    }

    private static boolean accepts(Headers headers) {
        var lines = headers.all("Accept");
        return lines.isEmpty()
                || lines.stream()
                        .flatMap(line -> java.util.Arrays.stream(line.split(",", 64)))
                        .map(range -> range.strip().toLowerCase(Locale.ROOT))
                        .filter(range -> !REFUSED_TYPE.matcher(range).matches())
                        .map(range -> range.split(";", 2)[0].strip())
                        .anyMatch(Set.of(TYPE, "application/*", "*/*")::contains);
    }

    private Response answer(Request request, PresentedCredential credential) {
        RpcRequest rpc;
        try {
            rpc = RpcRequest.read(request.headers(), request.body().bytes());
        } catch (RpcError error) {
            refused(request, credential, "malformed");
            return error(error.status(), RpcRequest.idIn(request.body().bytes()), error);
        }
        if (rpc.isNotification()) {
            return Response.status(202);
        }
        var pending = methods.pending(request, rpc, credential, result -> json(200, message(rpc.id(), result)));
        if (pending.isPresent()) {
            countLegacy(rpc);
            return pending.get().recover(failure -> failed(request, rpc, failure));
        }
        request.requireThread();
        countLegacy(rpc);
        if (ProgressStream.isWanted(request, rpc)) {
            return ProgressStream.of(request, rpc, surroundings.pushed(), told -> answer(told, credential, rpc));
        }
        // Calls that write continue without their client, so that they are not executed in part.
        return asksToWrite(rpc)
                ? answer(request, credential, rpc)
                : CancellableCall.of(() -> answer(request, credential, rpc));
    }

    private void countLegacy(RpcRequest rpc) {
        if (rpc.revision().isLegacy()) {
            meters.legacy(rpc.revision());
        }
    }

    private Response.Ready answer(Request request, PresentedCredential credential, RpcRequest rpc) {
        try {
            return json(200, message(rpc.id(), methods.answer(request, rpc, credential)));
        } catch (RuntimeException failure) {
            if (Thread.currentThread().isInterrupted()) {
                return Response.status(499); // not sent: the client has disconnected
            }
            return failed(request, rpc, failure);
        }
    }

    private static Response.Ready failed(Request request, RpcRequest rpc, Throwable failure) {
        return switch (failure) {
            case RpcError error ->
                error(rpc.revision().isLegacy() && error.status() < 500 ? 200 : error.status(), rpc.id(), error);
            case ProblemException problem ->
                failed(request, rpc, problem.problem().message(), null);
            case Error error -> throw error;
            default -> failed(request, rpc, failure.toString(), failure);
        };
    }

    private static Response.Ready failed(
            Request request, RpcRequest rpc, String why, @org.jspecify.annotations.Nullable Throwable failure) {
        LOG.error("request {}: {} failed: {}", request.id(), rpc.method(), why, failure);
        return error(500, rpc.id(), RpcError.of(500, RpcError.INTERNAL, RefusalMessages.failed(request.id())));
    }

    private static BsonDocument message(Optional<BsonValue> id, BsonDocument result) {
        return message(id).append("result", result);
    }

    private static BsonDocument message(Optional<BsonValue> id) {
        return new BsonDocument("jsonrpc", new BsonString("2.0")).append("id", id.orElse(BsonNull.VALUE));
    }

    private static Response.Ready error(int status, Optional<BsonValue> id, RpcError error) {
        var body =
                new BsonDocument("code", new BsonInt32(error.code())).append("message", new BsonString(error.text()));
        error.data().ifPresent(data -> body.append("data", data));
        return json(status, message(id).append("error", body));
    }

    private static Response.Ready json(int status, BsonDocument message) {
        // also in names, which are not enclosed in a fence
        var json = Fence.escapedInvisible(JSON.encodeToString(message)).getBytes(StandardCharsets.UTF_8);
        return Response.status(status).with(TYPE, Content.Bytes.of(json));
    }
}
