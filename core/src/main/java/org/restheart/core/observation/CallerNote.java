package org.restheart.core.observation;

import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Account;

/// Carries the caller's account from the door out to the observers, which stand before it. Confined to one
/// request, whose threads take turns.
public final class CallerNote implements Consumer<Account> {
    private volatile @Nullable Account account;

    @Override
    public void accept(Account account) {
        this.account = account;
    }

    public Optional<Account> account() {
        return Optional.ofNullable(account);
    }
}
