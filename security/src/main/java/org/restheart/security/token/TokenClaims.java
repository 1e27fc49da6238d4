package org.restheart.security.token;

import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.BsonTexts;
import org.restheart.http.access.Account;

/// The claims of tokens of an account, beyond the registered ones.
public final class TokenClaims {
    private TokenClaims() {}

    /// @param propertyClaims see [JwtTokenManager.Settings]
    public static BsonDocument of(Account account, List<String> propertyClaims) {
        var claims = new BsonDocument("roles", BsonTexts.array(account.roles()));
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
