package org.restheart.mcp;

import static org.restheart.bson.BsonValues.object;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;
import org.restheart.http.CancellableCall;
import org.restheart.http.Cors;
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

    private final McpConfig config;
    private final Dependencies dependencies;
    private final McpMethods methods;
    private final CallRecords records;
    private final TransportChecks checks;
    private final McpMeters meters;

    /// Dependencies on the server.
    ///
    /// @param baseUrl the public URL of the server for a request
    /// @param credential of the caller of a request
    /// @param otherChallenges of the server's authentication mechanisms, for a `401`
    /// @param permissions what callers may do, in advance
    /// @param pushed the budget of messages that clients have not received
    /// @param key of the HMACs of tokens; equal in all gateways that serve the same clients
    /// @param uses uses up an identifier until an instant, at all gateways; false if it was used before
    /// @param neverWritten namespaces of accounts, permissions and keys
    /// @param version of the server
    public record Dependencies(
            Function<Request, String> baseUrl,
            Function<Request, PresentedCredential> credential,
            Function<Request, List<String>> otherChallenges,
            KindPermissions permissions,
            PushBudget pushed,
            SecretKey key,
            BiPredicate<String, Instant> uses,
            Set<String> neverWritten,
            String version) {}

    /// @param registry takes the meters of this service
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
            case ProblemException problem -> failed(rpc, problem.problem().message(), null);
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

    private boolean asksToWrite(RpcRequest rpc) {
        return !config.isReadOnly() && Tool.isWriting(rpc.params());
    }
}
