package org.restheart.core.chaos;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/// A TCP port that forwards connections, each to the next of its targets that accepts it, and delays, drops, resets or
/// half-closes them when told. Thread-safe.
final class FaultyProxy implements AutoCloseable {
    private static final int ACCEPTED = 200;
    private static final int BUFFER = 1 << 16;
    private static final int LOOK_MILLIS = 20;

    private final ServerSocket listener;
    private final List<Integer> targets = new CopyOnWriteArrayList<>();
    private final AtomicInteger next = new AtomicInteger();
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private volatile int delayMillis;
    private volatile boolean dropping;

    private record Link(Socket client, Socket server) {
        void reset() {
            for (var socket : List.of(client, server)) {
                try (socket) {
                    socket.setSoLinger(true, 0);
                } catch (IOException _) {
                    // has gone already
                }
            }
        }
    }

    FaultyProxy(List<Integer> targets) throws IOException {
        this.targets.addAll(targets);
        this.listener = new ServerSocket(0, ACCEPTED, InetAddress.getLoopbackAddress());
        Thread.startVirtualThread(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /// Each packet waits for that long, in both directions; 0 for not at all.
    void delay(int millis) {
        delayMillis = millis;
    }

    /// Forwards nothing, and leaves all connections open, as a network that loses every packet.
    void drop(boolean on) {
        dropping = on;
    }

    /// Resets all connections of this moment.
    void reset() {
        links.forEach(Link::reset);
    }

    /// Ends the direction to the clients of all connections of this moment; requests still go through.
    void halfClose() {
        for (var link : links) {
            try {
                link.client.shutdownOutput();
            } catch (IOException _) {
                // has gone already
            }
        }
    }

    private void accept() {
        try {
            while (true) {
                var client = listener.accept();
                Thread.startVirtualThread(() -> forward(client));
            }
        } catch (IOException _) {
            // closed: the end
        }
    }

    private void forward(Socket client) {
        hold();
        for (int attempt = 0; attempt < targets.size(); attempt++) {
            int port = targets.get(Math.floorMod(next.getAndIncrement(), targets.size()));
            var server = new Socket();
            try {
                server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
                var link = new Link(client, server);
                links.add(link);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                Thread.startVirtualThread(() -> copy(link, client, server));
                copy(link, server, client);
                return;
            } catch (IOException _) {
                new Link(server, server).reset(); // the next target
            }
        }
        new Link(client, client).reset();
    }

    private void copy(Link link, Socket from, Socket to) {
        try {
            var in = from.getInputStream();
            var out = to.getOutputStream();
            var buffer = new byte[BUFFER];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                hold();
                out.write(buffer, 0, n);
            }
            hold();
            to.shutdownOutput();
        } catch (IOException _) {
            link.reset();
        } finally {
            if (from.isInputShutdown() || link.client.isClosed() || to.isInputShutdown()) {
                links.remove(link);
            }
        }
    }

    private void hold() {
        try {
            Thread.sleep(delayMillis);
            while (dropping && !listener.isClosed()) {
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        reset();
    }
}
