package org.restheart.http;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A command for MongoDB that an I/O thread runs for the request that it handles. While the thread has no other
/// requests it need not hand the command to another thread, by which it would be woken again: most of the time that a
/// client alone waits is spent with that. Used by one thread.
public final class InlineCommand {
    private static final ScopedValue<InlineCommand> CURRENT = ScopedValue.newInstance();

    private @Nullable Runnable command;

    public <T> T during(Supplier<T> handler) {
        return ScopedValue.where(CURRENT, this).call(handler::get);
    }

    public static boolean isAwaited() {
        return CURRENT.isBound() && CURRENT.get().command == null;
    }

    /// Offers a command to the current thread.
    ///
    /// @param command blocks for a short time at most; runs when the request was handled
    /// @return false if another thread has to run it
    public static boolean offer(Runnable command) {
        if (!isAwaited()) {
            return false;
        }
        CURRENT.get().command = command;
        return true;
    }

    /// Runs the command that was offered.
    public boolean run() {
        var offered = command;
        if (offered == null) {
            return false;
        }
        command = null;
        offered.run();
        return true;
    }
}
