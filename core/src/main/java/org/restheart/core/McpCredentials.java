package org.restheart.core;

import org.restheart.http.Request;
import org.restheart.mcp.PresentedCredential;
import org.restheart.security.ClientAddress;
import org.restheart.security.Credentials;

/// The credential of a caller, for the service of the Model Context Protocol.
///
/// @param clients determines the caller of a request
record McpCredentials(ClientAddress clients) {
    PresentedCredential of(Request request) {
        var credentials = request.attribute(Credentials.KEY);
        var source = credentials.map(Credentials::source).orElse("");
        var handle = credentials.flatMap(Credentials::apiKey);
        var caller = clients.caller(request);
        return new PresentedCredential(
                source + "/" + handle.orElse("") + "/" + caller,
                caller,
                credentials.map(Credentials::scopes).filter(scopes -> !scopes.isEmpty()),
                handle);
    }
}
