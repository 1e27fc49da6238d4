package org.restheart.http.access;

import java.time.Instant;
import java.util.Optional;
import org.restheart.data.Access;

/// The account of a request, if it has one, and what access rules grant it. Immutable.
///
/// @param identity identifies the caller among all callers, for what is kept for one between requests: callers of one
///     name from different realms have different identities, and so have anonymous callers at different addresses.
///     Equal on every gateway, whether a password or a token of the account was sent
/// @param account empty for an anonymous caller
/// @param expires when the credentials expire, if they do. Responses that are open then, such as streams, are ended
/// @param isLimited whether the credentials have limits of their own, such as an API key or scopes: no tokens or keys
///     may be derived from them, since these would not have the limits
public record Caller(
        String identity, Optional<Account> account, Access grant, Optional<Instant> expires, boolean isLimited) {
    /// The caller before the security filter has run.
    public static final Caller ANONYMOUS = new Caller("", Optional.empty(), new Access.Root(), Optional.empty(), false);

    public static Caller of(Account account) {
        return ANONYMOUS.identifiedBy("account " + account.name()).with(account);
    }

    public Caller identifiedBy(String identity) {
        return new Caller(identity, account, grant, expires, isLimited);
    }

    public Caller with(Account changed) {
        return new Caller(identity, Optional.of(changed), grant, expires, isLimited);
    }

    public Caller with(Access grant) {
        return new Caller(identity, account, grant, expires, isLimited);
    }

    public Caller until(Instant expires) {
        return new Caller(identity, account, grant, Optional.of(expires), isLimited);
    }

    public Caller withLimits() {
        return new Caller(identity, account, grant, expires, true);
    }

    public boolean hasExpired(Instant now) {
        return expires.filter(end -> !now.isBefore(end)).isPresent();
    }

    @Override
    public String toString() {
        return "Caller[" + identity + "]";
    }
}
