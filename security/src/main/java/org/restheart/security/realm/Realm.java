package org.restheart.security.realm;

import java.util.Optional;
import org.restheart.http.Account;
import org.restheart.http.Request;

/// A set of accounts with passwords. Thread-safe.
public interface Realm {
    /// The account if the password is right. Takes as long for an account that does not exist.
    ///
    /// Does not wait when the account is known and its password was verified before; otherwise it first calls
    /// [Request#requireThread()].
    ///
    /// @throws org.restheart.http.ProblemException 503 if too many passwords are being verified
    Optional<Account> verify(Request request, String name, String password);
}
