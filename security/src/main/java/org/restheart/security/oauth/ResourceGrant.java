package org.restheart.security.oauth;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.security.jwt.Claims;
import org.restheart.security.jwt.ResourceTokens;

/// Converts the parameters `resource` (RFC 8707) and `scope` of an authorization request to claims of the code, and
/// these to claims of the token.
public final class ResourceGrant {
    static final String WRONG = "resource must be the URL of the endpoint that the token is for";

    /// Claims of codes, not of tokens.
    static final String RESOURCE_CLAIM = "res";

    static final String SCOPE_CLAIM = "scp";

    private final ResourceTokens tokens;
    private final List<String> scopes;

    /// @param scopes that a token may have; others are left out
    public ResourceGrant(ResourceTokens tokens, List<String> scopes) {
        this.tokens = tokens;
        this.scopes = List.copyOf(scopes);
    }

    /// Whether the parameter `resource` names a resource that this server does not have.
    boolean isWrong(Request request, Query query) {
        return query.all("resource").stream().anyMatch(resource -> !tokens.isNamed(request, resource));
    }

    void addTo(BsonDocument claims, Request request, Query query) {
        if (query.has("resource")) {
            claims.append(RESOURCE_CLAIM, new BsonString(tokens.uri(request)));
        }
        scope(query).ifPresent(scope -> claims.append(SCOPE_CLAIM, new BsonString(scope)));
    }

    private Optional<String> scope(Query query) {
        return query.first("scope")
                .map(scope -> Stream.of(scope.split(" ", 64))
                        .filter(scopes::contains)
                        .distinct()
                        .collect(Collectors.joining(" ")))
                .filter(scope -> !scope.isEmpty());
    }

    /// Whether the token request names another resource than the authorization request of its code did.
    boolean isOther(Request request, Query form, Claims code) {
        return isWrong(request, form)
                || (form.has("resource") && code.text(RESOURCE_CLAIM).isEmpty());
    }

    /// Adds the claims of a token that follow from those of its code.
    static void addTo(BsonDocument claims, Claims code) {
        code.text(RESOURCE_CLAIM).ifPresent(resource -> claims.append("aud", new BsonString(resource)));
        code.text(SCOPE_CLAIM).ifPresent(scope -> claims.append("scope", new BsonString(scope)));
    }
}
