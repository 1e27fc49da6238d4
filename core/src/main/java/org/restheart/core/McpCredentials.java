package org.restheart.core;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonString;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.mcp.PresentedCredential;
import org.restheart.security.ClientAddress;
import org.restheart.security.Credentials;

/// The credential of a caller, for the service of the Model Context Protocol.
///
/// @param clients determines the caller of a request
record McpCredentials(ClientAddress clients) {
    PresentedCredential of(Request request) {
        var credentials = request.attribute(Credentials.KEY);
        var account = request.caller().account();
        var source = credentials.map(Credentials::source).orElse("");
        var handle = credentials.flatMap(Credentials::apiKey);
        var caller = clients.caller(request);
        return new PresentedCredential(
                source + "/" + handle.orElse("") + "/" + caller,
                caller,
                source.equals(Credentials.TOKENS) ? scopes(account) : Optional.empty(),
                handle);
    }

    /// The scopes of a token (RFC 8693, 4.2): the properties of its account are its claims.
    private static Optional<Set<String>> scopes(Optional<Account> account) {
        return account.map(Account::properties)
                .map(claims -> claims.get("scope"))
                .filter(BsonString.class::isInstance)
                .map(scope -> scope.asString().getValue().strip())
                .filter(scope -> !scope.isEmpty())
                .map(scope -> Set.copyOf(List.of(scope.split(" +"))));
    }
}
