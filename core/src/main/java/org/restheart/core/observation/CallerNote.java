package org.restheart.core.observation;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Account;
import org.restheart.http.Handler;
import org.restheart.http.Key;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Carries the caller's account from behind the door out to the observers, which stand before it. Confined to
/// one request, whose threads take turns.
public final class CallerNote {
    public static final Key<CallerNote> KEY = Key.named("caller note");

    private volatile @Nullable Account account;

    /// A filter for the place right behind the door.
    public static Response write(Request request, Handler next) {
        request.attribute(KEY)
                .ifPresent(note -> note.account = request.caller().account().orElse(null));
        return next.handle(request);
    }

    public Optional<Account> account() {
        return Optional.ofNullable(account);
    }
}
