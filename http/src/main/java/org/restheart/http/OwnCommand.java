package org.restheart.http;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A command for MongoDB that an I/O thread runs for the request that it handles. While the thread has no other
/// requests it need not hand the command to another thread, by which it would be woken again: most of the time that a
/// client alone waits is spent with that. Used by one thread.
public final class OwnCommand {
    private static final ScopedValue<OwnCommand> CURRENT = ScopedValue.newInstance();

    private @Nullable Runnable command;

    /// Handles the request, which may leave one command to the current thread.
    public <T> T during(Supplier<T> handler) {
        return ScopedValue.where(CURRENT, this).call(handler::get);
    }

    /// Leaves a command to the current thread.
    ///
    /// @param command blocks for a short time at most; runs when the request was handled
    /// @return false if another thread has to run it
    public static boolean leave(Runnable command) {
        if (!CURRENT.isBound() || CURRENT.get().command != null) {
            return false;
        }
        CURRENT.get().command = command;
        return true;
    }

    /// Runs the command that was left, if any.
    public void run() {
        var left = command;
        if (left != null) {
            command = null;
            left.run();
        }
    }
}
