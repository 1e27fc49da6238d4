package org.restheart.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/// Ports for servers that are started later, or again.
public final class FreePort {
    private FreePort() {}

    /// A port that nobody listens on, and that the system does not give to clients: while the server is down, one that
    /// tries to connect to it could otherwise be given the very port and connect to itself.
    public static int find() {
        while (true) {
            try (var socket = new ServerSocket(ThreadLocalRandom.current().nextInt(15_000, 32_000))) {
                return socket.getLocalPort();
            } catch (BindException _) {
                // another one
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
