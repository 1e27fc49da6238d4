package org.restheart.security.token;

import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.BsonTexts;
import org.restheart.http.access.Account;

/// The claims of tokens of an account, beyond the registered ones.
public final class TokenClaims {
    private static final Set<String> REGISTERED = Set.of("iss", "sub", "aud", "exp", "nbf", "iat", "jti");

    private TokenClaims() {}

    /// @param propertyClaims see [JwtTokenManager.Settings]
    /// @param isOfRealm whether the account can be looked up. Nothing is known of another one but the claims of its
    ///     token, which are those of what is derived from the token, too: rules are about them
    public static BsonDocument of(Account account, List<String> propertyClaims, boolean isOfRealm) {
        var claims = new BsonDocument("roles", BsonTexts.array(account.roles()));
        if (!isOfRealm) {
            account.claims().forEach((name, value) -> {
                if (!REGISTERED.contains(name)) {
                    claims.putIfAbsent(name, value);
                }
            });
        }
        var properties = account.properties();
        var database = properties.get("authDb");
        if (database != null) {
            claims.append("authDb", database);
        }
        for (var claim : propertyClaims) {
            copy(properties, claims, claim.startsWith("/") ? claim.substring(1).split("/") : new String[] {claim}, 0);
        }
        return claims;
    }

    private static void copy(BsonDocument from, BsonDocument to, String[] path, int at) {
        BsonValue value = from.get(path[at]);
        if (value == null) {
            return;
        }
        if (at == path.length - 1) {
            to.append(path[at], value);
        } else if (value instanceof BsonDocument inner) {
            var below = to.get(path[at]) instanceof BsonDocument known ? known : new BsonDocument();
            copy(inner, below, path, at + 1);
            if (!below.isEmpty()) {
                to.append(path[at], below);
            }
        }
    }
}
