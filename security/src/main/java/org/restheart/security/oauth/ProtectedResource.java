package org.restheart.security.oauth;

import java.util.List;

/// An endpoint that clients get tokens for (RFC 8707, RFC 9728).
///
/// @param base by which clients know the server
/// @param authorizationServers of others that make tokens for it; empty for this server
/// @param scopes that a token may have there
public record ProtectedResource(String path, BaseUrl base, List<String> authorizationServers, List<String> scopes) {
    public ProtectedResource {
        authorizationServers = List.copyOf(authorizationServers);
        scopes = List.copyOf(scopes);
    }
}
