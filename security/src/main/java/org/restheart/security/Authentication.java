package org.restheart.security;

import org.restheart.http.Fields;
import org.restheart.http.access.Account;

/// The result of one mechanism for a request. Immutable.
public sealed interface Authentication {
    Authentication ABSENT = new Absent();
    Authentication REJECTED = new Rejected();

    record Absent() implements Authentication {}

    /// Invalid credentials of this kind. Other mechanisms may still accept the request.
    record Rejected() implements Authentication {}

    /// @param headers to add to the response
    record Authenticated(Account account, Credentials credentials, Fields headers) implements Authentication {
        public Authenticated(Account account, Credentials credentials) {
            this(account, credentials, Fields.NONE);
        }
    }
}
