package org.restheart.core.accounts;

import java.util.Optional;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.security.Authentication;
import org.restheart.security.Credentials;
import org.restheart.security.TokenManager;

/// Tokens of a plugin in place of the gateway's own, which OAuth and sessions still make: these end with a log-out,
/// too.
record AddedTokens(TokenManager added, TokenManager own) implements TokenManager {
    @Override
    public Issued issue(Request request, Account account, Credentials credentials, boolean renew, BsonDocument limits) {
        return added.issue(request, account, credentials, renew, limits);
    }

    @Override
    public Optional<Authentication> verify(Request request, String name, String token) {
        return added.verify(request, name, token);
    }

    @Override
    public void invalidate(Request request, Account account, Credentials credentials) {
        try {
            own.invalidate(request, account, credentials);
        } finally {
            added.invalidate(request, account, credentials);
        }
    }

    @Override
    public void watch(Consumer<String> receiver) {
        added.watch(receiver);
    }

    @Override
    public String type() {
        return added.type();
    }

    @Override
    public String location(Account account) {
        return added.location(account);
    }
}
