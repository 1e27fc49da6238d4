package org.restheart.security;

import org.restheart.http.Fields;
import org.restheart.http.access.Account;
import org.restheart.http.attribute.Key;

/// The result of one mechanism for a request. Immutable.
public sealed interface Authentication {
    Authentication ABSENT = new Absent();
    Authentication REJECTED = new Rejected(false);

    /// The request's credentials were rejected only because they are outdated ([Rejected#isStale()]).
    Key<Boolean> STALE = Key.named("stale credentials");

    record Absent() implements Authentication {}

    /// Invalid credentials of this kind. Other mechanisms may still accept the request.
    ///
    /// @param isStale whether the client knows the password, and may retry with the next challenge's nonce without
    ///     prompting its user
    record Rejected(boolean isStale) implements Authentication {}

    record Authenticated(Account account, Credentials credentials, Fields headers) implements Authentication {
        public Authenticated(Account account, Credentials credentials) {
            this(account, credentials, Fields.NONE);
        }
    }
}
