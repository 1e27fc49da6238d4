package org.restheart.core.streams;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.restheart.embedded.FreePort;
import org.restheart.testkit.TestMongo;

/// A port that forwards connections to a server once it is started.
public final class Relay implements AutoCloseable {
    private static final int ACCEPTED = 50;

    private final InetSocketAddress target;
    private final InetSocketAddress own;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private @Nullable ServerSocket listener;

    private Relay(InetSocketAddress target) {
        this.target = target;
        this.own = new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePort.find());
    }

    /// A relay to the primary of the tests' deployment.
    public static Relay to(TestMongo mongo) {
        var hello = mongo.client()
                .getDatabase("admin")
                .runCommand(new Document("hello", 1))
                .getString("primary");
        int colon = hello.lastIndexOf(':');
        return new Relay(
                new InetSocketAddress(hello.substring(0, colon), Integer.parseInt(hello.substring(colon + 1))));
    }

    public int port() {
        return own.getPort();
    }

    public void start() throws IOException {
        var socket = new ServerSocket(own.getPort(), ACCEPTED, own.getAddress());
        listener = socket;
        Thread.startVirtualThread(() -> accept(socket));
    }

    private void accept(ServerSocket socket) {
        try {
            while (true) {
                var client = socket.accept();
                Thread.startVirtualThread(() -> relay(client));
            }
        } catch (IOException _) {
            // closed: the end of the test
        }
    }

    private void relay(Socket client) {
        try (client;
                var server = new Socket()) {
            open.add(client);
            open.add(server);
            server.connect(target);
            Thread.startVirtualThread(() -> copy(client, server));
            copy(server, client);
        } catch (IOException _) {
            // cut while it connected
        }
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException _) {
            // one side has gone, and so does the other
        }
    }

    @Override
    public void close() throws IOException {
        if (listener != null) {
            listener.close();
        }
        cut();
    }

    /// Ends all connections; others can be opened.
    public void cut() throws IOException {
        for (var socket : open) {
            socket.close();
        }
    }
}
