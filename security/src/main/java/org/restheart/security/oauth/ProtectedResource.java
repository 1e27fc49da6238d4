package org.restheart.security.oauth;

import java.util.List;

/// An endpoint for which clients request tokens (RFC 8707, RFC 9728).
///
/// @param base the base URL of this server for clients
/// @param authorizationServers URLs of other servers that issue tokens for it; empty for this server
/// @param scopes that a token may have there
public record ProtectedResource(String path, BaseUrl base, List<String> authorizationServers, List<String> scopes) {
    public ProtectedResource {
        authorizationServers = List.copyOf(authorizationServers);
        scopes = List.copyOf(scopes);
    }
}
