package org.restheart.core;

import java.util.Optional;
import org.restheart.dataapi.LogIns;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.security.Credentials;
import org.restheart.security.token.RenewableSessions;

/// Sessions for the service of the Atlas Data API.
///
/// @param realm of the anonymous account
/// @param anonymous the account of clients that have none
record DataApiLogIns(RenewableSessions sessions, String realm, Optional<String> anonymous) implements LogIns {
    @Override
    public Optional<Session> begin(Request request, Provider provider) {
        var credentials = request.attribute(Credentials.KEY);
        var account = request.caller().account();
        return credentials.isPresent() && account.isPresent() && isOf(provider, credentials.get(), account.get())
                ? Optional.of(shown(sessions.begin(request, account.get(), credentials.get())))
                : Optional.empty();
    }

    /// A mechanism may take one kind of credentials in place of another. A token that was issued for a scope is not
    /// exchanged for one without.
    private static boolean isOf(Provider provider, Credentials credentials, Account account) {
        return switch (provider) {
            case PASSWORD -> credentials.token().isEmpty();
            case API_KEY -> credentials.source().equals(Credentials.API_KEYS);
            case TOKEN ->
                credentials.source().equals(Credentials.TOKENS)
                        && !account.claims().containsKey("scope");
        };
    }

    @Override
    public Optional<Session> beginAnonymously(Request request) {
        return anonymous.flatMap(name -> sessions.begin(request, realm, name)).map(DataApiLogIns::shown);
    }

    private static Session shown(RenewableSessions.Begun begun) {
        return new Session(begun.accessToken(), begun.refreshToken(), begun.account());
    }

    @Override
    public Optional<String> renew(Request request) {
        var account = request.caller().account().orElseThrow();
        var credentials = request.require(Credentials.KEY);
        boolean isOver = credentials.isAnonymous()
                && anonymous.filter(account.name()::equals).isEmpty();
        return isOver ? Optional.empty() : Optional.of(sessions.renew(account, credentials));
    }

    @Override
    public void end(Request request) {
        sessions.end(request.require(Credentials.KEY));
    }
}
