package org.restheart.security;

import java.time.Instant;
import java.util.Optional;
import org.restheart.http.Account;
import org.restheart.http.Fields;

/// What one mechanism says about a request. Immutable.
public sealed interface Authentication {
    Authentication ABSENT = new Absent();
    Authentication REJECTED = new Rejected();

    /// No credentials of this kind.
    record Absent() implements Authentication {}

    /// Credentials of this kind, and wrong. Other mechanisms may still accept the request.
    record Rejected() implements Authentication {}

    /// @param expires when the credentials end, for what lasts longer than one answer
    /// @param headers to add to the response
    record Authenticated(Account account, Optional<Instant> expires, Fields headers) implements Authentication {
        public static Authenticated as(Account account) {
            return new Authenticated(account, Optional.empty(), Fields.NONE);
        }
    }
}
