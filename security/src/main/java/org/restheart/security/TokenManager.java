package org.restheart.security;

import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.restheart.http.Request;
import org.restheart.http.access.Account;

/// Issues tokens for authenticated accounts and verifies them. Thread-safe; blocks only for the keys of an issuer and
/// for the account, on a thread that may block.
public interface TokenManager {
    /// A token.
    record Issued(String token, Account account, Instant validUntil) {
        @Override
        public String toString() {
            return "Issued[" + account.name() + "]";
        }
    }

    /// The account's token: the existing one, if its claims are current and it does not expire soon.
    ///
    /// @param renew always issue a new one
    /// @param limits claims that limit the token; empty if it is not limited
    /// @throws org.restheart.http.ProblemException 403 if no token may be derived from the credentials; 400
    ///     if tokens cannot be limited
    Issued issue(Request request, Account account, Credentials credentials, boolean renew, BsonDocument limits);

    /// Verifies a token that is used in place of the account's password.
    ///
    /// @param token of 40 characters or more: shorter text is a password
    /// @return credentials with a [Credentials.Token]
    Optional<Authentication> verify(Request request, String name, String token);

    /// Revokes the account's token and the one in the credentials, and ends the sessions that tokens began or have.
    void invalidate(Request request, Account account, Credentials credentials);

    /// Has the ends of tokens without ids reported.
    ///
    /// @param receiver of the names of their accounts; must not block
    default void watch(Consumer<String> receiver) {}

    /// The type of the token: `token_type` (RFC 6749, 7.1).
    String type();

    /// `Auth-Token-Location`.
    String location(Account account);
}
