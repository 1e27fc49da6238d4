package org.restheart.core.observation;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restheart.http.NamedOperation;
import org.restheart.http.access.Account;

/// Passes the account, the caller and the operation of a request from later steps of the pipeline to those before
/// them. Confined to one request, which is handled by one thread at a time.
public final class RequestNote {
    private volatile @Nullable Account account;
    private volatile @Nullable String caller;
    private volatile @Nullable NamedOperation operation;

    public void accept(Account account) {
        this.account = account;
    }

    public void accept(NamedOperation operation) {
        this.operation = operation;
    }

    /// @param caller see [org.restheart.http.access.CallerScope]
    public void acceptCaller(String caller) {
        this.caller = caller;
    }

    /// The caller whose use of shared resources is counted, see [org.restheart.http.access.CallerScope];
    /// empty until it is known.
    public Optional<String> caller() {
        return Optional.ofNullable(caller);
    }

    public Optional<Account> account() {
        return Optional.ofNullable(account);
    }

    public Optional<NamedOperation> operation() {
        return Optional.ofNullable(operation);
    }
}
