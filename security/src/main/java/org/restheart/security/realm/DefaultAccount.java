package org.restheart.security.realm;

import org.restheart.http.Request;
import org.restheart.security.ClientAddress;

/// The account of a first start, whose password is publicly known, and so accepted from this machine only.
public final class DefaultAccount {
    public static final String NAME = "admin";
    public static final String PASSWORD = "secret";

    public static final String HASH = "$2a$12$D.IEcUHVPotQ3HXNvIGYxOPc5excTuj7RQJNJvkKPRVyrNCvUZVU2";

    private DefaultAccount() {}

    /// Whether a right password is refused, since it is the known one and the client is on another machine.
    ///
    /// @param stored the password of the account, in clear or as a hash
    static boolean isRefused(ClientAddress clients, Request request, String name, String password, String stored) {
        return password.equals(PASSWORD) && (name.equals(NAME) || stored.equals(HASH)) && !clients.isLoopback(request);
    }
}
