package org.restheart.security.apikey;

import org.jspecify.annotations.Nullable;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.access.DataTarget;
import org.restheart.security.ProtectedCollection;
import org.restheart.security.Vetoer;

/// Refuses every data request to a collection that only the gateway itself accesses, such as that of keys, whatever the
/// caller's rights.
public record ReservedVetoer(String database, String collection) implements ProtectedCollection, Vetoer {
    @Override
    public boolean vetoes(Request request, @Nullable Account account) {
        return request.attribute(DataTarget.KEY).filter(this::isTargetOf).isPresent();
    }
}
