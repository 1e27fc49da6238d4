package org.restheart.security.token;

import java.time.Instant;
import java.util.Optional;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.security.Authentication;
import org.restheart.security.Credentials;

/// Makes tokens for accounts that are authenticated, and recognises them. Thread-safe; waits for nothing but,
/// on a thread that may, the keys of an issuer and the account.
public interface TokenManager {
    /// A token.
    ///
    /// @param account as the token says it
    record Issued(String token, Account account, Instant validUntil) {
        @Override
        public String toString() {
            return "Issued[" + account.name() + "]";
        }
    }

    /// The account's token: the one it has, if that says what is true of the account and is good for a while.
    ///
    /// @param renew a new one in any case
    Issued issue(Request request, Account account, Credentials credentials, boolean renew);

    /// Whether the token is this account's, shown in place of its password.
    Optional<Authentication> verify(Request request, String name, String token);

    /// Forgets the account's token, and the one that was shown.
    void invalidate(Account account, Credentials credentials);

    /// How clients use the token: `token_type` (RFC 6749, 7.1).
    String type();

    /// `Auth-Token-Location`.
    String location(Account account);
}
