package org.restheart.security.realm;

import static org.restheart.http.AuthorizationHeader.BASIC;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Optional;
import org.restheart.http.AuthorizationHeader;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.security.Authentication;
import org.restheart.security.Authenticator;
import org.restheart.security.ClientAddress;
import org.restheart.security.Credentials;

/// HTTP Basic over a [Realm]. Accepted credentials are cached under a keyed digest of the field, so that a known client
/// costs one digest per request; its account is checked every time. Thread-safe.
public final class BasicAuthenticator implements Authenticator {
    private static final Optional<String> CHALLENGE = Optional.of("Basic realm=\"RESTHeart Realm\"");

    private static final int MAX_REMEMBERED = 10_000;
    private static final Duration REMEMBERED = Duration.ofMinutes(20);

    private final KeyedDigest digest = new KeyedDigest();
    /// Accounts that are no longer current may be large, and somebody may change one again and again.
    private final Cache<KeyedDigest.Digest, WeakReference<Account>> accepted = Caffeine.newBuilder()
            .maximumSize(MAX_REMEMBERED)
            .expireAfterWrite(REMEMBERED)
            .build();
    private final Realm realm;
    private final ClientAddress clients;
    private final Credentials credentials;

    /// @param name of the realm, which distinguishes its accounts from those of others
    /// @param clients tell whether a client is on this machine: the default password is accepted from there only
    public BasicAuthenticator(Realm realm, String name, ClientAddress clients) {
        this.realm = realm;
        this.clients = clients;
        this.credentials = Credentials.password(name);
    }

    @Override
    public Optional<String> scheme() {
        return Optional.of(BASIC);
    }

    @Override
    public Authentication authenticate(Request request) {
        var sent = AuthorizationHeader.ofBasic(request.headers());
        if (sent.isEmpty()) {
            return Authentication.ABSENT;
        }
        var key = digest.of(sent.get().credentials(), clients.isLoopback(request) ? "here" : "");
        var reference = accepted.getIfPresent(key);
        var known = reference == null ? null : reference.get();
        if (known != null && realm.isCurrent(known)) {
            return new Authentication.Authenticated(known, credentials);
        }
        request.requireThread(); // failed attempts are counted there
        var account = sent.get()
                .basicCredentials()
                .flatMap(credentials -> realm.verify(request, credentials.name(), credentials.password()));
        if (account.isEmpty()) {
            return Authentication.REJECTED;
        }
        accepted.put(key, new WeakReference<>(account.get()));
        return new Authentication.Authenticated(account.get(), credentials);
    }

    @Override
    public Optional<String> challenge(Request request) {
        return CHALLENGE;
    }
}
