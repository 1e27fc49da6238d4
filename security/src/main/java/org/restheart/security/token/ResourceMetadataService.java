package org.restheart.security.token;

import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.BsonTexts;
import org.restheart.http.IoThreadService;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// `GET /.well-known/oauth-protected-resource[/path]` (RFC 9728). Public.
///
/// @param described the endpoint whose authorization servers and scopes are described; others have only their
/// URL
public record ResourceMetadataService(BaseUrl base, String uri, Optional<ProtectedResource> described)
        implements IoThreadService {
    @Override
    public Response handle(Request request) {
        request.requireMethod(Method.GET);
        var path = request.path().raw();
        var below = path.startsWith(uri) ? path.substring(uri.length()) : "";
        var resource = described.filter(served -> below.equals(served.path()));
        var known = resource.map(ProtectedResource::base).orElse(base);
        var url = known.of(request);
        var servers = resource.map(ProtectedResource::authorizationServers)
                .filter(others -> !others.isEmpty())
                .orElse(List.of(url));
        var metadata = new BsonDocument("resource", new BsonString(url + (below.equals("/") ? "" : below)))
                .append("authorization_servers", BsonTexts.array(servers));
        resource.ifPresent(served -> metadata.append("scopes_supported", BsonTexts.array(served.scopes()))
                .append("bearer_methods_supported", BsonTexts.array(List.of("header")))
                .append("resource_name", new BsonString("RESTHeart")));
        return known.named(Response.json(200, metadata.toJson()));
    }

    /// An endpoint for which clients request tokens (RFC 8707, RFC 9728).
    ///
    /// @param authorizationServers URLs of other servers that issue tokens for it; empty for this server
    public record ProtectedResource(String path, BaseUrl base, List<String> authorizationServers, List<String> scopes) {
        public ProtectedResource {
            authorizationServers = List.copyOf(authorizationServers);
            scopes = List.copyOf(scopes);
        }
    }
}
