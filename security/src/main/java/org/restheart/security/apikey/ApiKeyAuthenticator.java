package org.restheart.security.apikey;

import static org.restheart.http.AuthorizationHeader.BEARER;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.restheart.http.AuthorizationHeader;
import org.restheart.http.Request;
import org.restheart.http.SecretValues;
import org.restheart.http.access.Account;
import org.restheart.security.Authentication;
import org.restheart.security.Authenticator;
import org.restheart.security.Credentials;
import org.restheart.security.apikey.ApiKey.ApiKeys;
import org.restheart.security.realm.Realm;

/// Authenticates with an API key, in its own header or as a bearer token.
public record ApiKeyAuthenticator(ApiKeys keys, KeyForm form, Realm realm, List<String> headerNames)
        implements Authenticator {
    public ApiKeyAuthenticator {
        headerNames = List.copyOf(headerNames);
    }

    @Override
    public List<String> credentialHeaders() {
        return headerNames;
    }

    @Override
    public Optional<String> scheme() {
        return Optional.of(BEARER);
    }

    @Override
    public Authentication authenticate(Request request) {
        var sent = sent(request);
        if (sent.isEmpty()) {
            return Authentication.ABSENT;
        }
        if (sent.stream().distinct().count() > 1 || KeyForm.isTooLong(sent.getFirst())) {
            return Authentication.REJECTED;
        }
        var now = Instant.now();
        return keys.find(request, form.digest(sent.getFirst()))
                .filter(key -> key.isUsable(now) && key.isUsableFrom(request))
                .flatMap(key -> owner(request, key).map(account -> {
                    keys.used(key, now);
                    return accepted(key, account);
                }))
                .orElse(Authentication.REJECTED);
    }

    /// The account for which the key was issued, if it still exists. What is cached may be older than its identity.
    private Optional<Account> owner(Request request, ApiKey key) {
        return realm.identified(request, key.account(), false)
                .filter(key::isOf)
                .or(() -> realm.identified(request, key.account(), true).filter(key::isOf))
                .map(Realm.Identified::account);
    }

    private List<String> sent(Request request) {
        var sent = new ArrayList<String>();
        headerNames.forEach(name -> sent.addAll(request.headers().all(name)));
        AuthorizationHeader.of(request.headers())
                .filter(field -> field.hasExactly(BEARER))
                .map(AuthorizationHeader::credentials)
                .filter(token -> token.startsWith(SecretValues.KEY_PREFIX))
                .ifPresent(sent::add);
        return sent;
    }

    private static Authentication accepted(ApiKey key, Account account) {
        return new Authentication.Authenticated(
                key.limited(account), Credentials.apiKey(key.handle().toHexString(), key.expiresAt()));
    }
}
