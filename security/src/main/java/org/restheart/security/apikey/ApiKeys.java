package org.restheart.security.apikey;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.types.ObjectId;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.security.realm.Generations.KeyLimits;

/// The store of keys. Thread-safe; all methods may block.
public interface ApiKeys extends KeyLimits {
    /// @throws org.restheart.http.ProblemException 503 if it cannot be looked up now
    Optional<ApiKey> find(Request request, String digest);

    /// As [#find(Request, String)], by the key's handle.
    Optional<ApiKey> find(Request request, ObjectId handle);

    /// For tokens of sessions that were begun with a key: they end with it, and are valid only from addresses from
    /// which it is.
    @Override
    default Optional<Account> limited(Request request, String handle, Account account) {
        if (!ObjectId.isValid(handle)) {
            return Optional.empty();
        }
        return find(request, new ObjectId(handle))
                .filter(key -> key.account().equals(account.name()))
                .filter(key -> key.isUsable(Instant.now()) && key.isUsableFrom(request))
                .map(key -> key.limited(account));
    }

    /// @return false if there is such a key
    boolean insert(ApiKey key);

    Optional<ApiKey> byHandle(ObjectId handle);

    /// Keys of accounts of one name, or all, by creation time; at most a few thousand.
    List<ApiKey> list(Optional<String> account);

    /// How many keys accounts of one name have, those included that this and other servers have inserted before.
    long count(String account);

    void update(ApiKey key, BsonDocument changes);

    void delete(ApiKey key);

    /// Records the use of a key; does not block, and not every use is recorded.
    void used(ApiKey key, Instant at);
}
