package org.restheart.mcp;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import org.bson.BsonDocument;
import org.restheart.http.Accepted;
import org.restheart.http.Connection;
import org.restheart.http.Headers;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Refuses requests before their message is read: by where they come from, their path, method, credentials and media
/// types. Thread-safe.
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

    /// The refusal of a request from a page of another site, or by a name that resolves to this computer (DNS
    /// rebinding).
    private Optional<String> originProblem(Request request) {
        var host = request.connection().host().toLowerCase(Locale.ROOT);
        if (config.loopback() && !Connection.isLoopback(host) && !host.equals(configuredHost())) {
            return Optional.of(
                    "this server listens on loopback: call it localhost, or set mcp/base-url to the name by which"
                            + " clients know it");
        }
        for (var origin : request.headers().all("Origin")) {
            var own =
                    request.connection().scheme() + "://" + request.connection().hostAndPort();
            boolean isAllowed = origin.equalsIgnoreCase(own)
                    || sameOrigin(request.connection().baseUrl(), origin)
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

    /// Requires an account, unless rules may let anonymous callers read something. Costs the same however much there
    /// is.
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
        return "resource_metadata=\"" + dependencies.baseUrl().apply(request) + "/.well-known/oauth-protected-resource"
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
        records.refused(request, credential, "scope");
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
