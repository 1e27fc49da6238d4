package org.restheart.rest.importing;

import java.util.Optional;
import org.restheart.http.Request;

/// Identifies the accounts of authenticated requests, so that accounts that had the same name at other times
/// are distinguished. May block.
public interface ImportOwners {
    /// The identity of the account, equal on every gateway; empty if it has none, and therefore no imports.
    ///
    /// @param make whether to create one if there is none
    Optional<String> of(Request request, boolean make);

    /// The API key of the request, if it was sent with one or with a token derived from one. A key may have fewer
    /// rights than its account.
    Optional<String> key(Request request);

    /// Whether the credentials of the request are still valid.
    boolean isKnown(Request request);

    /// Whether the credentials of the request are still valid for this account.
    default boolean isStill(Request request, String owner) {
        return isKnown(request) && of(request, false).filter(owner::equals).isPresent();
    }
}
