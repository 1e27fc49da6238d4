package org.restheart.security.apikey;

import java.time.Instant;
import java.util.Optional;
import org.bson.types.ObjectId;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.security.realm.Generations.KeyLimits;

/// The limits of stored keys, for tokens of sessions that were begun with one: the tokens end with the key, and are
/// valid only from addresses from which the key is.
public record KeyLimitsNow(ApiKeys keys) implements KeyLimits {
    @Override
    public Optional<Account> limited(Request request, String handle, Account account) {
        if (!ObjectId.isValid(handle)) {
            return Optional.empty();
        }
        return keys.find(request, new ObjectId(handle))
                .filter(key -> key.account().equals(account.name()))
                .filter(key -> key.isUsable(Instant.now()) && key.isUsableFrom(request))
                .map(key -> key.limited(account));
    }
}
