package org.restheart.mongo.changestream;

import java.util.Set;
import org.restheart.http.Request;

/// Decides whether requests that were admitted, and whose responses stay open, are still authorized. Thread-safe.
public interface StandingRights {
    /// For servers without accounts.
    StandingRights FOR_EVER = new StandingRights() {
        @Override
        public boolean stillAdmits(Request request) {
            return true;
        }

        @Override
        public boolean stillAuthenticates(Request request) {
            return true;
        }

        @Override
        public Set<RightsBasis> bases(Request request) {
            return Set.of();
        }
    };

    /// Whether the request would be admitted now. May block.
    boolean stillAdmits(Request request);

    /// Whether the credentials of the request are still good; always without an account. May block.
    boolean stillAuthenticates(Request request);

    /// What the authorization rests on: a change of anything else does not end it. Empty without an account.
    Set<RightsBasis> bases(Request request);
}
