package org.restheart.http;

import java.util.function.Supplier;

/// Notifies a limit of concurrent work when the current thread's request begins and ends to wait for content
/// from its client. Meanwhile the request does no work, for as long as the client likes. Confined to one
/// thread.
public final class ContentWait {
    private static final ScopedValue<ContentWait> CURRENT = ScopedValue.newInstance();

    private final Runnable began;
    private final Runnable ended;

    private ContentWait(Runnable began, Runnable ended) {
        this.began = began;
        this.ended = ended;
    }

    /// Runs a task that processes a request.
    public static <T> T observed(Runnable began, Runnable ended, Supplier<T> task) {
        return ScopedValue.where(CURRENT, new ContentWait(began, ended)).call(task::get);
    }

    public static void began() {
        if (CURRENT.isBound()) {
            CURRENT.get().began.run();
        }
    }

    /// To be called after [#began()], however the wait has ended.
    public static void ended() {
        if (CURRENT.isBound()) {
            CURRENT.get().ended.run();
        }
    }
}
