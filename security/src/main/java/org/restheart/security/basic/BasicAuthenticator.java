package org.restheart.security.basic;

import java.util.Optional;
import org.restheart.http.Request;
import org.restheart.security.Authentication;
import org.restheart.security.Authenticator;
import org.restheart.security.Credentials;
import org.restheart.security.realm.Realm;

/// HTTP Basic over a [Realm].
public final class BasicAuthenticator implements Authenticator {
    private static final Optional<String> CHALLENGE = Optional.of("Basic realm=\"RESTHeart Realm\"");

    private final Realm realm;
    private final Credentials credentials;

    /// @param name of the realm, which tells its accounts from those of others
    public BasicAuthenticator(Realm realm, String name) {
        this.realm = realm;
        this.credentials = Credentials.password(name);
    }

    @Override
    public Authentication authenticate(Request request) {
        var encoded = BasicCredentials.find(request.headers());
        return encoded.isEmpty()
                ? Authentication.ABSENT
                : BasicCredentials.parse(encoded.get())
                        .flatMap(credentials -> realm.verify(request, credentials.name(), credentials.password()))
                        .<Authentication>map(account -> new Authentication.Authenticated(account, this.credentials))
                        .orElse(Authentication.REJECTED);
    }

    @Override
    public Optional<String> challenge(Request request) {
        return CHALLENGE;
    }
}
