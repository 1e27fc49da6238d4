package org.restheart.http;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Who asks, and what the rules allow them. Immutable.
public final class Caller {
    /// Nobody in particular, before the door has been passed.
    public static final Caller ANONYMOUS = new Caller(null, Grant.FULL);

    private final @Nullable Account account;
    private final Grant grant;

    private Caller(@Nullable Account account, Grant grant) {
        this.account = account;
        this.grant = grant;
    }

    public static Caller of(Account account) {
        return new Caller(account, Grant.FULL);
    }

    public Caller with(Grant grant) {
        return new Caller(account, grant);
    }

    public Optional<Account> account() {
        return Optional.ofNullable(account);
    }

    public Grant grant() {
        return grant;
    }
}
