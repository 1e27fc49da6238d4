package org.restheart.security.session;

import java.time.Instant;
import java.util.Optional;
import org.bson.BsonDocument;
import org.restheart.http.BearerToken;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.security.Authentication;
import org.restheart.security.Authenticator;
import org.restheart.security.Credentials;
import org.restheart.security.apikey.KeyForm;
import org.restheart.security.jwt.Revocations;
import org.restheart.security.realm.Generations;

/// Authenticates with a refresh token as bearer token: for the renewal of sessions, and nowhere else.
public final class RefreshAuthenticator implements Authenticator {
    /// The source of credentials that are refresh tokens; the id of their token is its digest.
    static final String SOURCE = "refreshToken";

    private final RefreshTokens store;
    private final KeyForm form;
    private final Generations accounts;
    private final Revocations revocations;

    RefreshAuthenticator(RefreshTokens store, KeyForm form, Generations accounts, Revocations revocations) {
        this.store = store;
        this.form = form;
        this.accounts = accounts;
        this.revocations = revocations;
    }

    @Override
    public Authentication authenticate(Request request) {
        var sent = BearerToken.in(request.headers()).map(BearerToken::text);
        if (sent.isEmpty()) {
            return Authentication.ABSENT;
        }
        if (KeyForm.isTooLong(sent.get())) {
            return Authentication.REJECTED;
        }
        return store.find(request, form.digest(sent.get()))
                .filter(token -> token.expiresAt().isAfter(Instant.now()) && !isRevoked(request, token))
                .<Authentication>flatMap(token -> owner(request, token)
                        .map(account -> new Authentication.Authenticated(account, credentials(token))))
                .orElse(Authentication.REJECTED);
    }

    private boolean isRevoked(Request request, RefreshToken token) {
        return token.lineage()
                .filter(lineage -> revocations.contains(request, lineage.id()))
                .isPresent();
    }

    /// The current account, with the roles that the session still allows; empty if the session is no longer
    /// valid.
    private Optional<Account> owner(Request request, RefreshToken token) {
        return token.lineage()
                .map(lineage -> accounts.of(request, lineage, token.account()))
                .orElseGet(() -> Optional.of(new Account(token.account(), token.roles(), new BsonDocument())));
    }

    private static Credentials credentials(RefreshToken token) {
        return new Credentials(
                SOURCE,
                Optional.of(new Credentials.Token(
                        "", Optional.of(token.digest()), Optional.of(token.expiresAt()), token.lineage())));
    }
}
