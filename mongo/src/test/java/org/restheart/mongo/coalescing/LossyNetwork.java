package org.restheart.mongo.coalescing;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.connection.ClusterConnectionMode;
import com.mongodb.connection.ServerDescription;
import com.mongodb.connection.ServerMonitoringMode;
import com.mongodb.event.CommandListener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.restheart.testkit.TestMongo;

/// A network between a client and the primary that loses or delays some messages, and closes the client's connections.
/// Thread-safe.
final class LossyNetwork implements AutoCloseable {
    /// What happens to a command.
    enum Fate {
        /// The connection is closed; the command arrives when the test says so.
        ARRIVES_LATER,
        /// The command arrives, and the connection is closed at once.
        REPLY_LOST,
        /// The connection is closed when MongoDB replies.
        CLOSED_AT_REPLY,
        /// The reply arrives when the test says so.
        REPLY_LATER
    }

    private final ServerSocket listener;
    private final ServerAddress primary;
    private final ConnectionString connection;
    private final String marker;
    private final Fate fate;
    private final AtomicInteger left;
    private final AtomicInteger seen = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private final CountDownLatch later = new CountDownLatch(1);

    /// @param marker text in the commands concerned
    /// @param times how many of them
    LossyNetwork(TestMongo mongo, String marker, Fate fate, int times) throws IOException {
        this.marker = marker;
        this.fate = fate;
        this.left = new AtomicInteger(times);
        this.connection = new ConnectionString(mongo.connectionString());
        this.primary = mongo.client().getClusterDescription().getServerDescriptions().stream()
                .filter(ServerDescription::isPrimary)
                .map(ServerDescription::getAddress)
                .findFirst()
                .orElseThrow();
        this.listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Thread.startVirtualThread(() -> {
            while (!listener.isClosed()) {
                try {
                    var client = listener.accept();
                    Thread.startVirtualThread(() -> forward(client));
                } catch (IOException _) {
                    return;
                }
            }
        });
    }

    MongoClient client(CommandListener commands) {
        return MongoClients.create(MongoClientSettings.builder()
                .applyConnectionString(connection)
                .applyToClusterSettings(
                        cluster -> cluster.hosts(List.of(new ServerAddress("127.0.0.1", listener.getLocalPort())))
                                .mode(ClusterConnectionMode.SINGLE))
                .applyToServerSettings(
                        server -> server.serverMonitoringMode(ServerMonitoringMode.POLL) // one reply each
                                .minHeartbeatFrequency(20, TimeUnit.MILLISECONDS))
                .addCommandListener(commands)
                .build());
    }

    /// How many of the commands concerned were sent, also those after the last that was lost.
    int seen() {
        return seen.get();
    }

    /// How many of those that were lost or delayed MongoDB has answered.
    int answered() {
        return answered.get();
    }

    /// Lets arrive what has been held back.
    void arrive() {
        later.countDown();
    }

    private void forward(Socket client) {
        try (client;
                var server = new Socket(primary.getHost(), primary.getPort())) {
            for (var message = next(client); message != null; message = next(client)) {
                boolean concerned = new String(message, StandardCharsets.ISO_8859_1).contains(marker);
                seen.addAndGet(concerned ? 1 : 0);
                boolean lost = concerned && left.getAndDecrement() > 0;
                if (!exchange(client, server, message, lost)) {
                    return;
                }
            }
        } catch (IOException | InterruptedException _) {
            // either side has gone
        }
    }

    /// @return false if the client's connection was closed
    private boolean exchange(Socket client, Socket server, byte[] message, boolean lost)
            throws IOException, InterruptedException {
        if (!lost) {
            server.getOutputStream().write(message);
            client.getOutputStream().write(reply(server));
            return true;
        }
        if (fate == Fate.ARRIVES_LATER) {
            client.close();
            later.await();
        }
        server.getOutputStream().write(message);
        if (fate == Fate.REPLY_LOST) {
            client.close();
        }
        var reply = reply(server);
        answered.incrementAndGet();
        if (fate == Fate.REPLY_LATER) {
            later.await();
            client.getOutputStream().write(reply);
        }
        return fate == Fate.REPLY_LATER;
    }

    private static byte[] reply(Socket server) throws IOException {
        var reply = next(server);
        if (reply == null) {
            throw new IOException("closed");
        }
        return reply;
    }

    /// A message begins with its length.
    private static byte @Nullable [] next(Socket socket) throws IOException {
        var in = socket.getInputStream();
        var head = in.readNBytes(Integer.BYTES);
        if (head.length < Integer.BYTES) {
            return null;
        }
        int length = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getInt();
        return ByteBuffer.allocate(length)
                .put(head)
                .put(in.readNBytes(length - Integer.BYTES))
                .array();
    }

    @Override
    public void close() throws IOException {
        arrive();
        listener.close();
    }
}
