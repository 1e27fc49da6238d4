package org.restheart.security.jwt;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.restheart.http.access.Account;
import org.restheart.security.Authentication;
import org.restheart.security.Credentials;

/// A valid token.
///
/// @param scopes to which it is limited; none where no endpoint has scopes
/// @param current the account for which this gateway issued it, as it is now; empty for tokens of other issuers
public record VerifiedToken(Claims claims, Set<String> scopes, Optional<Account> current) {
    private static final String ROLES = "roles";

    /// The account that the token names. The properties of one of this gateway are its current ones, so that rules
    /// about them hold for a token as for the password; claims come before them. The roles that it has beside those
    /// of the API key of its log-in limit what the token may do, as they limit the key, and rules about
    /// `@user.roles` see all of them, as they do for the key.
    ///
    /// @param roles that the token has
    /// @param fixed further ones, of all tokens
    /// @param text of the token
    public Authentication.Authenticated authenticated(
            String name, List<String> roles, List<String> fixed, String text) {
        var own = with(roles, fixed);
        var token = new Credentials.Token(text, claims.id(), claims.expires(), claims.lineage(), scopes);
        return new Authentication.Authenticated(
                new Account(
                        name,
                        own,
                        current.map(this::properties).orElse(claims.payload()),
                        current.filter(Account::isLimited)
                                .map(account -> with(account.all(), fixed))
                                .orElse(own),
                        claims.payload()),
                new Credentials(Credentials.TOKENS, Optional.of(token)));
    }

    private BsonDocument properties(Account account) {
        var all = merged(account.properties(), claims.payload());
        if (account.isLimited()) {
            var roles = account.properties().get(ROLES);
            all.remove(ROLES);
            if (roles != null) {
                all.append(ROLES, roles);
            }
        }
        return all;
    }

    private static List<String> with(List<String> roles, List<String> fixed) {
        var all = new ArrayList<>(roles);
        all.addAll(fixed);
        return all;
    }

    /// Both, with the values of the second document where both have a value. Documents within them are merged, too: a
    /// claim may be a part of one.
    private static BsonDocument merged(BsonDocument first, BsonDocument second) {
        var all = new BsonDocument();
        all.putAll(first);
        second.forEach((name, value) -> all.append(
                name,
                first.get(name) instanceof BsonDocument inner && value instanceof BsonDocument over
                        ? merged(inner, over)
                        : value));
        return all;
    }
}
