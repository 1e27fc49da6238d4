package org.restheart.mongo.importing;

import java.util.Optional;
import org.restheart.http.Request;

/// Tells the accounts of authenticated requests from each other, also from earlier and later ones of the
/// same name. May block.
public interface ImportOwners {
    /// What identifies the account, on every gateway; empty if it has no identity yet, and so no imports.
    ///
    /// @param make whether it is given one then
    Optional<String> of(Request request, boolean make);

    /// Whether the credentials of a request are still good.
    boolean isKnown(Request request);

    /// Whether the request's credentials are still good, for this account.
    default boolean isStill(Request request, String owner) {
        return isKnown(request) && of(request, false).filter(owner::equals).isPresent();
    }
}
