package org.restheart.security.token;

import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.BsonTexts;
import org.restheart.http.access.Account;
import org.restheart.text.Words;

/// The claims of tokens of an account, beyond the registered ones.
public final class TokenClaims {
    private static final Set<String> REGISTERED = Words.of("iss sub aud exp nbf iat jti");

    /// Claims of which a token, or the authorization code before it, consists: they say for whom, where, until when
    /// and for what it is valid.
    private static final Set<String> RESERVED = Words.of("iss sub aud exp nbf iat jti roles scope res scp cend");

    private TokenClaims() {}

    /// @param propertyClaims properties of the account: names, or paths such as `/org/unit`
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
        propertyClaims.forEach(claim -> copy(properties, claims, steps(claim), 0));
        return claims;
    }

    /// Whether this is the name or the path of a property, which [#isReserved] may still refuse.
    public static boolean isProperty(String claim) {
        var steps = steps(claim);
        return steps.length > 0 && List.of(steps).stream().noneMatch(String::isEmpty);
    }

    /// Whether it says what the token is, not what its account has.
    public static boolean isReserved(String claim) {
        return RESERVED.contains(steps(claim)[0]);
    }

    private static String[] steps(String claim) {
        return claim.startsWith("/") ? claim.substring(1).split("/") : new String[] {claim};
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
