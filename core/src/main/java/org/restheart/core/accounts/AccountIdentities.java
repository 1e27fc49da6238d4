package org.restheart.core.accounts;

import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.restheart.http.Request;
import org.restheart.mongo.importing.ImportOwners;
import org.restheart.security.Credentials;
import org.restheart.security.jwt.Claims;
import org.restheart.security.realm.Realm;

/// Identifies accounts by their realm, their name and a stored identity, so that an account that is created
/// later under the same name is another one.
///
/// @param realms by the names that [Credentials#realm] uses
/// @param keysRealm the realm of the accounts of API keys
/// @param known whether the credentials of a request are still good
record AccountIdentities(Map<String, Realm> realms, String keysRealm, Predicate<Request> known)
        implements ImportOwners {
    @Override
    public Optional<String> of(Request request, boolean make) {
        request.requireThread();
        var account = request.caller().account().orElseThrow();
        var credentials = request.require(Credentials.KEY);
        if (credentials.isAnonymous()) { // its account is everybody's
            return Optional.of(request.caller().identity());
        }
        var name = Claims.realmName(account);
        var source = credentials.source().equals(Credentials.API_KEYS) ? keysRealm : credentials.realm();
        var realm = realms.get(source);
        if (realm == null) { // an account of another issuer, which guarantees that the name is unique
            return Optional.of(source + " " + name);
        }
        var identified = make ? realm.identify(request, name) : realm.identified(request, name, true);
        return identified.flatMap(Realm.Identified::identity).map(identity -> source + " " + name + " " + identity);
    }

    @Override
    public Optional<String> key(Request request) {
        return request.require(Credentials.KEY).apiKey();
    }

    @Override
    public boolean isKnown(Request request) {
        return known.test(request);
    }
}
