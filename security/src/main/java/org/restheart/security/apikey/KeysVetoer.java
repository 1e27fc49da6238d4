package org.restheart.security.apikey;

import org.jspecify.annotations.Nullable;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.access.DataTarget;
import org.restheart.security.Vetoer;

/// Keeps everybody, whatever their rights, from the collection of keys: [ApiKeyService] is the only way to it.
public record KeysVetoer(String database, String collection) implements Vetoer {
    @Override
    public boolean vetoes(Request request, @Nullable Account account) {
        return request.attribute(DataTarget.KEY).filter(this::isKeys).isPresent();
    }

    /// Names compare as on a case-insensitive file system, where both would be the same.
    private boolean isKeys(DataTarget target) {
        return target.db().filter(database::equalsIgnoreCase).isPresent()
                && target.collection().filter(collection::equalsIgnoreCase).isPresent();
    }
}
