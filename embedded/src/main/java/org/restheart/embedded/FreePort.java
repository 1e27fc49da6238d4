package org.restheart.embedded;

import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/// Ports for servers that are started later, or again.
public final class FreePort {
    /// Below those that systems give to clients (Linux from 32,768 on, others from 49,152), and above most services'.
    private static final int FIRST = 15_000;

    private static final int AFTER_LAST = 32_000;

    private static final int ATTEMPTS = 1_000;

    private FreePort() {}

    /// A port that nobody listens on, and that the system does not give to clients: it could otherwise be in use when
    /// the server starts; and one that tries to connect to a server that is down could be given the very port, and
    /// connect to itself.
    ///
    /// @throws EmbeddedMongoException if there can be no listener
    public static int find() {
        for (int attempt = 1; ; attempt++) {
            try (var socket = new ServerSocket(ThreadLocalRandom.current().nextInt(FIRST, AFTER_LAST))) {
                return socket.getLocalPort();
            } catch (IOException e) {
                if (attempt == ATTEMPTS || !(e instanceof BindException)) { // which also says that none is allowed
                    throw new EmbeddedMongoException("no port is free: " + e.getMessage(), e);
                }
            }
        }
    }
}
