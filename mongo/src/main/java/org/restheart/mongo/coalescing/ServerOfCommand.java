package org.restheart.mongo.coalescing;

import com.mongodb.ServerAddress;
import org.jspecify.annotations.Nullable;

/// The server on which a command of a [BatchQueue] waits. The listener of the driver's connections tells it, on the
/// thread of the command. Thread-safe.
public final class ServerOfCommand {
    private static final ScopedValue<ServerOfCommand> CURRENT = ScopedValue.newInstance();

    private volatile @Nullable ServerAddress address;

    void during(Runnable command) {
        ScopedValue.where(CURRENT, this).run(command);
    }

    /// The command, or a part of it, to be run on another thread for which the current one waits.
    static Runnable lent(Runnable command) {
        if (!CURRENT.isBound()) {
            return command;
        }
        var server = CURRENT.get();
        return () -> server.during(command);
    }

    /// Null while the command waits for a suitable server.
    @Nullable
    ServerAddress address() {
        return address;
    }

    /// The current thread asks for a connection to this server.
    public static void asked(ServerAddress server) {
        if (CURRENT.isBound()) {
            CURRENT.get().address = server;
        }
    }

    /// The current thread has returned its connection, or got none.
    public static void left() {
        if (CURRENT.isBound()) {
            CURRENT.get().address = null;
        }
    }
}
