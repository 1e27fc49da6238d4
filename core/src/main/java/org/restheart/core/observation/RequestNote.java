package org.restheart.core.observation;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Operation;
import org.restheart.http.access.Account;

/// Carries what later steps learn of a request, its caller's account and what its content asks for, out to the
/// observers, which stand before them. Confined to one request, whose threads take turns.
public final class RequestNote {
    private volatile @Nullable Account account;
    private volatile @Nullable Operation operation;

    public void accept(Account account) {
        this.account = account;
    }

    public void accept(Operation operation) {
        this.operation = operation;
    }

    public Optional<Account> account() {
        return Optional.ofNullable(account);
    }

    public Optional<Operation> operation() {
        return Optional.ofNullable(operation);
    }
}
