package org.restheart.security.apikey;

import org.jspecify.annotations.Nullable;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.access.DataTarget;
import org.restheart.security.Vetoer;

/// Refuses every data request to the collection of keys, whatever the caller's rights: only [ApiKeyService] accesses
/// it.
public record KeysVetoer(String database, String collection) implements Vetoer {
    @Override
    public boolean vetoes(Request request, @Nullable Account account) {
        return request.attribute(DataTarget.KEY).filter(this::isKeys).isPresent();
    }

    /// Names are compared without regard to case, as on a case-insensitive file system.
    private boolean isKeys(DataTarget target) {
        return target.db().filter(database::equalsIgnoreCase).isPresent()
                && target.collection().filter(collection::equalsIgnoreCase).isPresent();
    }
}
