package org.restheart.security.realm;

import java.util.Optional;
import java.util.function.Predicate;
import org.restheart.http.Request;
import org.restheart.http.access.Account;

/// A set of accounts with passwords. Methods do not block for what is cached; otherwise they first call
/// [Request#requireThread()]. They throw a [org.restheart.http.ProblemException] with status 503 for an account that
/// cannot be looked up now. Thread-safe.
public interface Realm {
    /// The account if the password is correct. Takes equally long for an account that does not exist.
    ///
    /// Does not block when the account is cached and its password was verified before.
    ///
    /// @throws org.restheart.http.ProblemException 503 also if too many passwords are being verified
    Optional<Account> verify(Request request, String name, String password);

    /// Whether a verified account is still current, including its password. Never blocks; false when that
    /// would need a query.
    boolean isCurrent(Account account);

    /// The account with its password, if that is stored in clear and proven: for mechanisms that do not receive the
    /// password. Takes equally long for an account that does not exist.
    ///
    /// @param isProven whether the client has proven that it knows a password; called also without an account
    Optional<Stored> clear(Request request, String name, Predicate<String> isProven);

    /// The account with its password as it is stored, in clear or as a hash.
    Optional<Stored> stored(Request request, String name);

    /// The account and its identity.
    ///
    /// @param fresh whether to read it even if it is cached
    Optional<Identified> identified(Request request, String name, boolean fresh);

    /// The account and its identity, which is created if it has none. May block.
    ///
    /// @throws org.restheart.http.ProblemException 409 if it cannot have one
    Optional<Identified> identify(Request request, String name);

    /// An account that can log in, and its identity, which distinguishes it from earlier and later accounts
    /// of its name.
    ///
    /// @param identity not secret; empty if none has been created yet
    record Identified(Account account, Optional<String> identity) {}

    record Stored(Account account, String password) {
        @Override
        public String toString() {
            return "Stored[" + account.name() + "]";
        }
    }
}
