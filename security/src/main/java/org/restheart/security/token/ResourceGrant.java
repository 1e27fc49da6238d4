package org.restheart.security.token;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.security.jwt.Claims;
import org.restheart.security.jwt.ResourceTokens;

/// Converts the parameters `resource` (RFC 8707) and `scope` of an authorization request to claims of the code, and
/// these to claims of the token.
///
/// A token with a scope of the endpoint is for that endpoint alone: elsewhere nothing asks for scopes.
///
/// @param scopes that a token may have; others are left out if it has one of these
public record ResourceGrant(ResourceTokens tokens, List<String> scopes) {
    public ResourceGrant {
        scopes = List.copyOf(scopes);
    }

    static final String WRONG =
            "resource must be the URL of the endpoint that the token is for; without mcp/base-url this server"
                    + " has such a URL only for clients that connect to it directly";

    static final String OTHER = "resource and scope must be those of the authorization request";

    /// Of all scopes of the endpoint, also those that it does not have now.
    private static final String PREFIX = "mcp:";

    /// Claims of codes, not of tokens.
    static final String RESOURCE_CLAIM = "res";

    static final String SCOPE_CLAIM = "scp";

    /// The claims `aud` and `scope` of a token for which the parameters `resource` and `scope` ask; none if it is not
    /// limited.
    ///
    /// @return empty if there is no such resource
    Optional<BsonDocument> claims(Request request, List<String> resources, List<String> scope) {
        var limits = new BsonDocument();
        var granted = granted(scope);
        if (resources.isEmpty() && granted.isEmpty()) {
            return Optional.of(limits);
        }
        var own = tokens.uri(request);
        if (!tokens.isNamed(request, own)
                || resources.stream().anyMatch(resource -> !tokens.isNamed(request, resource))) {
            return Optional.empty();
        }
        limits.append("aud", new BsonString(own));
        granted.ifPresent(scopes -> limits.append("scope", new BsonString(scopes)));
        return Optional.of(limits);
    }

    /// The claims of a code from which those of its token follow; empty if the parameter `resource` names a resource
    /// that this server does not have.
    Optional<BsonDocument> ofCode(Request request, Query query) {
        return claims(request, query.all("resource"), query.all("scope")).map(limits -> {
            var claims = new BsonDocument();
            limits.forEach((name, value) -> claims.append(name.equals("aud") ? RESOURCE_CLAIM : SCOPE_CLAIM, value));
            return claims;
        });
    }

    private Optional<String> granted(List<String> sent) {
        var asked = sent.stream()
                .flatMap(scope -> Stream.of(scope.split(" ", 64)))
                .filter(scope -> scope.startsWith(PREFIX))
                .distinct()
                .toList();
        var granted = asked.stream().filter(scopes::contains).toList();
        return Optional.of(String.join(" ", granted.isEmpty() ? asked : granted))
                .filter(scope -> !scope.isEmpty());
    }

    /// Whether the token request names another resource or scope than the authorization request of its code did.
    boolean isOther(Request request, Query form, Claims code) {
        return claims(request, form.all("resource"), form.all("scope"))
                .filter(asked -> (asked.isEmpty() || code.text(RESOURCE_CLAIM).isPresent())
                        && (!asked.containsKey("scope")
                                || code.text(SCOPE_CLAIM).isPresent()))
                .isEmpty();
    }

    /// Adds the claims of a token that follow from those of its code.
    static void addTo(BsonDocument claims, Claims code) {
        code.text(RESOURCE_CLAIM).ifPresent(resource -> claims.append("aud", new BsonString(resource)));
        code.text(SCOPE_CLAIM).ifPresent(scope -> claims.append("scope", new BsonString(scope)));
    }
}
