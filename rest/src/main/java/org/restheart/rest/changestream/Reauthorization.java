package org.restheart.rest.changestream;

import java.util.Optional;
import java.util.Set;
import org.restheart.http.Request;

/// Decides whether requests that were admitted, and whose responses stay open, are still authorized. Thread-safe.
public interface Reauthorization {
    /// For servers without accounts.
    Reauthorization ALWAYS = new Reauthorization() {
        @Override
        public boolean stillAdmits(Request request) {
            return true;
        }

        @Override
        public Optional<Request> current(Request request) {
            return Optional.of(request);
        }

        @Override
        public Set<AuthorizationBasis> bases(Request request) {
            return Set.of();
        }
    };

    /// Whether the request would be admitted now. May block.
    boolean stillAdmits(Request request);

    /// The request with its account as it is now, if its credentials are still good; always without an account. May
    /// block.
    Optional<Request> current(Request request);

    /// What the authorization rests on: a change of anything else does not end it. Empty without an account.
    Set<AuthorizationBasis> bases(Request request);

    /// What the authorization of a response that stays open rests on, and what is reported when it may have changed.
    sealed interface AuthorizationBasis {
        /// @param name as its credentials or the subject of its token say it
        record OfAccount(String name) implements AuthorizationBasis {}

        /// @param id its own, or that of the log-in from which it was derived
        record OfToken(String id) implements AuthorizationBasis {}

        /// API keys. Changes of one are reported for all: they tell only its digest.
        record OfKeys() implements AuthorizationBasis {}
    }
}
