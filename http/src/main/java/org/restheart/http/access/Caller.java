package org.restheart.http.access;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The account of a request, if it has one, and what access rules grant it. Immutable.
public final class Caller {
    /// The caller before the security filter has run.
    public static final Caller ANONYMOUS = new Caller("", null, Grant.FULL, null, false);

    private final String identity;
    private final @Nullable Account account;
    private final Grant grant;
    private final @Nullable Instant expires;
    private final boolean limited;

    private Caller(
            String identity, @Nullable Account account, Grant grant, @Nullable Instant expires, boolean limited) {
        this.identity = identity;
        this.account = account;
        this.grant = grant;
        this.expires = expires;
        this.limited = limited;
    }

    public static Caller of(Account account) {
        return new Caller("account " + account.name(), account, Grant.FULL, null, false);
    }

    public Caller identifiedBy(String identity) {
        return new Caller(identity, account, grant, expires, limited);
    }

    public Caller with(Account changed) {
        return new Caller(identity, changed, grant, expires, limited);
    }

    public Caller with(Grant grant) {
        return new Caller(identity, account, grant, expires, limited);
    }

    public Caller until(Instant expires) {
        return new Caller(identity, account, grant, expires, limited);
    }

    /// The same caller with credentials that have limits of their own, such as an API key or scopes: no tokens or keys
    /// may be derived from them, since these would not have the limits.
    public Caller withLimits() {
        return new Caller(identity, account, grant, expires, true);
    }

    /// See [#withLimits()].
    public boolean isLimited() {
        return limited;
    }

    /// When the credentials expire, if they do. Responses that are open then, such as streams, are ended.
    public Optional<Instant> expires() {
        return Optional.ofNullable(expires);
    }

    /// Empty for an anonymous caller.
    public Optional<Account> account() {
        return Optional.ofNullable(account);
    }

    /// Whether they have expired by then.
    public boolean hasExpired(Instant now) {
        return expires != null && !now.isBefore(expires);
    }

    /// Identifies the caller among all callers, for what is kept for one between requests: callers of one name
    /// from different realms have different identities, and so have anonymous callers at different addresses.
    /// Equal on every gateway, whether a password or a token of the account was sent.
    public String identity() {
        return identity;
    }

    /// What the caller may do with the data of this request.
    public Grant grant() {
        return grant;
    }
}
