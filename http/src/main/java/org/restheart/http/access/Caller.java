package org.restheart.http.access;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The account of a request and what the access rules grant it. Immutable.
public final class Caller {
    /// The caller before the security filter has run.
    public static final Caller ANONYMOUS = new Caller(null, Grant.FULL, null, false);

    private final @Nullable Account account;
    private final Grant grant;
    private final @Nullable Instant expires;
    private final boolean limited;

    private Caller(@Nullable Account account, Grant grant, @Nullable Instant expires, boolean limited) {
        this.account = account;
        this.grant = grant;
        this.expires = expires;
        this.limited = limited;
    }

    public static Caller of(Account account) {
        return new Caller(account, Grant.FULL, null, false);
    }

    public Caller with(Grant grant) {
        return new Caller(account, grant, expires, limited);
    }

    /// The same caller with credentials that expire.
    public Caller until(Instant expires) {
        return new Caller(account, grant, expires, limited);
    }

    /// The same caller with credentials that have limits of their own, from which no others may be derived: an API key.
    public Caller withLimits() {
        return new Caller(account, grant, expires, true);
    }

    public boolean isLimited() {
        return limited;
    }

    /// When the credentials expire, if they do: a response that is still open then, such as a stream, is ended.
    public Optional<Instant> expires() {
        return Optional.ofNullable(expires);
    }

    public Optional<Account> account() {
        return Optional.ofNullable(account);
    }

    public Grant grant() {
        return grant;
    }
}
