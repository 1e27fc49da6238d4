package org.restheart.security.basic;

import java.util.Optional;
import org.restheart.http.Request;
import org.restheart.security.Authentication;
import org.restheart.security.Authenticator;
import org.restheart.security.realm.Realm;

/// HTTP Basic over a [Realm].
public final class BasicAuthenticator implements Authenticator {
    private static final Optional<String> CHALLENGE = Optional.of("Basic realm=\"RESTHeart Realm\"");

    private final Realm realm;

    public BasicAuthenticator(Realm realm) {
        this.realm = realm;
    }

    @Override
    public Authentication authenticate(Request request) {
        var encoded = BasicCredentials.find(request.headers());
        return encoded.isEmpty()
                ? Authentication.ABSENT
                : BasicCredentials.parse(encoded.get())
                        .flatMap(credentials -> realm.verify(request, credentials.name(), credentials.password()))
                        .<Authentication>map(Authentication.Authenticated::as)
                        .orElse(Authentication.REJECTED);
    }

    @Override
    public Optional<String> challenge(Request request) {
        return CHALLENGE;
    }
}
