package org.restheart.mcp;

import static org.restheart.bson.BsonValues.object;

import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import javax.crypto.SecretKey;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Accepted;
import org.restheart.http.CancellableCall;
import org.restheart.http.Connection;
import org.restheart.http.Cors;
import org.restheart.http.Headers;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.judged.DataCatalog;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.module.PresentedCredential;
import org.restheart.http.push.PushBudget;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `POST {uri}`: one request or notification of the Model Context Protocol. Stateless.
/// Thread-safe.
public final class McpService implements Service {
    private static final Logger LOG = LoggerFactory.getLogger(McpService.class);
    private static final Cors CORS =
            new Cors("POST", Cors.DEFAULT_HEADERS + ", MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id", "");

    private final McpConfig config;
    private final Dependencies dependencies;
    private final McpMethods methods;
    private final CallRecords records;
    private final TransportChecks checks;
    private final McpMeters meters;

    /// @param baseUrl the public URL of the server for a request
    /// @param credential of the caller of a request
    /// @param otherChallenges of the server's authentication mechanisms, for a `401`
    /// @param permissions what callers may do, in advance
    /// @param pushed the budget of messages that clients have not received
    /// @param key of the HMACs of tokens; equal in all gateways that serve the same clients
    /// @param uses uses up an identifier until an instant, at all gateways; false if it was used before
    /// @param neverWritten namespaces of accounts, permissions and keys
    /// @param local whether this machine alone can reach the server; then `Host` must name it
    public record Dependencies(
            Function<Request, String> baseUrl,
            Function<Request, PresentedCredential> credential,
            Function<Request, List<String>> otherChallenges,
            KindPermissions permissions,
            PushBudget pushed,
            SecretKey key,
            BiPredicate<String, Instant> uses,
            Set<String> neverWritten,
            boolean local,
            String version) {}

    public McpService(
            McpConfig config,
            JudgedRequests requests,
            DataPaths paths,
            DataCatalog catalog,
            Dependencies dependencies,
            MeterRegistry registry) {
        this.config = config;
        this.dependencies = dependencies;
        this.meters = new McpMeters(registry);
        var clock = InstantSource.system();
        var audit = new ToolAuditLog(config.audit(), config.auditValues(), clock);
        var calls = new JudgedCalls(requests, paths);
        var visible = new VisibleCollections(catalog, calls, dependencies.permissions(), dependencies.neverWritten());
        var tokens = new SealedTokens(dependencies.key(), clock);
        var cursors = SealedTokens.Cursors.ofLists(tokens);
        var catalogs = new CatalogTools(config, calls, visible, new DeclaredFields(catalog, calls), cursors);
        var reads = new ReadTools(config, calls, cursors, new ScanGuard(config.scanLimit(), calls));
        var watches = new WatchTool(config, calls, tokens);
        var writing = config.writing().orElseGet(() -> new McpConfig.Writing(true, 0, true));
        var confirmations = new Confirmations(tokens, writing.requireElicitation(), dependencies.uses());
        var writes = new WriteTools(writing, calls, confirmations, dependencies.neverWritten());
        var limits = new CallLimits(config.callsPerMinute(), config.concurrentCalls(), clock);
        var lists = new CallLimits(config.callsPerMinute(), config.concurrentCalls(), clock);
        var handlers = new Tools.Handlers(catalogs, reads, new ExplainTool(config, calls), watches, writes);
        this.records = new CallRecords(limits, lists, audit, meters);
        this.checks = new TransportChecks(config, dependencies, visible, records);
        var offered = Tools.offered(config);
        this.methods = new McpMethods(
                new Tools(offered, visible, handlers, records, calls),
                new Resources(offered, visible, handlers, cursors, records),
                records,
                object("name", "RESTHeart", "version", dependencies.version()));
        if (!config.audit()) {
            LOG.warn("mcp: the audit log is off: calls of models are not recorded");
        }
    }

    @Override
    public Cors cors(Request request) {
        return CORS;
    }

    @Override
    public Response handle(Request request) {
        var credential = dependencies.credential().apply(request);
        var refusal = checks.refusal(request, credential);
        return refusal.isPresent() ? refusal.get() : answer(request, credential);
    }

    private Response answer(Request request, PresentedCredential credential) {
        RpcRequest rpc;
        try {
            rpc = RpcRequest.read(request, credential);
        } catch (RpcError error) {
            records.refused(request, credential, "malformed");
            return RpcResponses.error(request, error.status(), RpcRequest.idIn(request.body()), error);
        }
        if (rpc.isNotification()) {
            return Response.status(202);
        }
        if (rpc.revision().isLegacy()) {
            meters.legacy(rpc.revision());
        }
        if (ProgressStream.isWanted(rpc)) {
            return ProgressStream.of(rpc, dependencies.pushed(), this::answer);
        }
        // Calls that write continue without their client, so that they are not executed in part.
        return asksToWrite(rpc) ? answer(rpc) : CancellableCall.of("mcp-call", () -> answer(rpc));
    }

    private Response.Ready answer(RpcRequest rpc) {
        try {
            return RpcResponses.result(rpc.http(), rpc.id(), methods.answer(rpc));
        } catch (RuntimeException failure) {
            if (Thread.currentThread().isInterrupted()) {
                return Response.status(499); // not sent: the client has disconnected
            }
            return failed(rpc, failure);
        }
    }

    private static Response.Ready failed(RpcRequest rpc, Throwable failure) {
        return switch (failure) {
            case RpcError error ->
                RpcResponses.error(
                        rpc.http(),
                        rpc.revision().isLegacy() && error.status() < 500 ? 200 : error.status(),
                        rpc.id(),
                        error);
            case ProblemException problem ->
                problem.problem().status() == 503
                        ? busy(rpc, problem.problem())
                        : failed(rpc, problem.problem().message(), null);
            case Error error -> throw error;
            default -> failed(rpc, failure.toString(), failure);
        };
    }

    private static Response.Ready failed(RpcRequest rpc, String why, @Nullable Throwable failure) {
        var id = rpc.http().id();
        LOG.error("request {}: {} failed: {}", id, rpc.method(), why, failure);
        return RpcResponses.error(
                rpc.http(), 500, rpc.id(), RpcError.of(500, RpcError.INTERNAL, RefusedCall.failed(id)));
    }

    private static Response.Ready busy(RpcRequest rpc, Problem problem) {
        var why = RefusedCall.of(problem, new BsonDocument(), rpc.http().id()).text();
        return RpcResponses.error(rpc.http(), 503, rpc.id(), RpcError.of(503, RpcError.INTERNAL, why))
                .with(problem.headers());
    }

    private boolean asksToWrite(RpcRequest rpc) {
        return !config.isReadOnly() && Tool.isWriting(rpc.params());
    }

    /// Refuses requests before their message is read: by where they come from, their path, method,
    /// credentials and media types. Thread-safe.
    record TransportChecks(
            McpConfig config, McpService.Dependencies dependencies, VisibleCollections visible, CallRecords records) {
        Optional<Response.Ready> refusal(Request request, PresentedCredential credential) {
            var problem = originProblem(request);
            if (problem.isPresent()) {
                records.refused(request, credential, "origin");
                return refused(request, 403, problem.get());
            }
            var path = request.path().decoded();
            if (!path.equals(config.uri()) && !path.equals(config.uri() + "/")) {
                return refused(request, 404, "the endpoint is POST " + config.uri());
            }
            if (request.method() != Method.POST) {
                return refused(
                        request,
                        405,
                        "requests of the Model Context Protocol are POST " + config.uri()
                                + "; there are no streams by GET");
            }
            if (!isAdmitted(request)) {
                records.refused(request, credential, "unauthenticated");
                return Optional.of(unauthorized(request));
            }
            var scope = missingScope(credential, request);
            if (scope.isPresent()) {
                return scope;
            }
            if (!isJson(request.headers())) {
                return refused(request, 415, "send " + RpcResponses.TYPE);
            }
            boolean isAccepted = Accepted.of(request.headers()).weight(RpcResponses.TYPE) > 0;
            return isAccepted ? Optional.empty() : refused(request, 406, "accept " + RpcResponses.TYPE);
        }

        private static Optional<Response.Ready> refused(Request request, int status, String reason) {
            return Optional.of(refusal(request, status, reason));
        }

        private static Response.Ready refusal(Request request, int status, String reason) {
            return RpcResponses.error(
                    request, status, Optional.empty(), RpcError.of(status, RpcError.INVALID_REQUEST, reason));
        }

        /// The refusal of a request from a page of another site, or by a name that resolves to this
        /// computer (DNS rebinding).
        private Optional<String> originProblem(Request request) {
            var host = request.connection().host().toLowerCase(Locale.ROOT);
            if (dependencies.local() && !Connection.isLoopback(host) && !host.equals(configuredHost())) {
                return Optional.of(
                        "this server listens on loopback: call it localhost, or set mcp/base-url to the name by which"
                                + " clients know it");
            }
            for (var origin : request.headers().all("Origin")) {
                var own = request.connection().scheme() + "://"
                        + request.connection().hostAndPort();
                boolean isAllowed = origin.equalsIgnoreCase(own)
                        || sameOrigin(request.connection().baseUrl(), origin)
                        || config.baseUrl()
                                .filter(base -> sameOrigin(base, origin))
                                .isPresent()
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

        /// Requires an account, unless rules may let anonymous callers read something. Costs the same
        /// however much there is.
        private boolean isAdmitted(Request request) {
            if (request.caller().account().isPresent()) {
                return true;
            }
            return !request.headers().has("Authorization") && visible.mayReadAnything(request);
        }

        private Response.Ready unauthorized(Request request) {
            var response = refusal(request, 401, missingAccount(request))
                    .withAlso("WWW-Authenticate", "Bearer " + resourceMetadata(request) + ", scope=\"mcp:read\"");
            for (var challenge : dependencies.otherChallenges().apply(request)) {
                response = response.withAlso("WWW-Authenticate", challenge);
            }
            return response;
        }

        private static String missingAccount(Request request) {
            return request.headers().has("Authorization")
                    ? "these credentials are not accepted: a wrong key, token or password, or one that has expired; keys"
                            + " and tokens are sent as Authorization: Bearer …"
                    : "this needs an account: send a key or token as Authorization: Bearer …";
        }

        private String resourceMetadata(Request request) {
            return "resource_metadata=\"" + dependencies.baseUrl().apply(request)
                    + "/.well-known/oauth-protected-resource" + config.uri() + "\"";
        }

        /// A token with scopes needs those of this service; other credentials have none.
        private Optional<Response.Ready> missingScope(PresentedCredential credential, Request request) {
            var scopes = credential.scopes();
            if (scopes.isEmpty()
                    || (scopes.get().contains("mcp:read")
                            && (scopes.get().contains("mcp:write") || !asksToWrite(request)))) {
                return Optional.empty();
            }
            records.refused(request, credential, "scope");
            var needed = config.isReadOnly() ? "mcp:read" : "mcp:read mcp:write";
            return Optional.of(Response.status(403)
                    .with("Content-Type", Response.JSON)
                    .with(
                            "WWW-Authenticate",
                            "Bearer error=\"insufficient_scope\", scope=\"" + needed + "\", "
                                    + resourceMetadata(request)));
        }

        private boolean asksToWrite(Request request) {
            if (config.isReadOnly()) {
                return false;
            }
            try {
                return PlainJson.parse(request.body()) instanceof BsonDocument message
                        && message.get("params") instanceof BsonDocument params
                        && Tool.isWriting(params);
            } catch (RpcError _) {
                return false; // reported below
            }
        }

        private static boolean isJson(Headers headers) {
            return headers.first("Content-Type")
                    .map(type -> type.split(";", 2)[0].strip())
                    .filter(RpcResponses.TYPE::equalsIgnoreCase)
                    .isPresent();
        }
    }
}
