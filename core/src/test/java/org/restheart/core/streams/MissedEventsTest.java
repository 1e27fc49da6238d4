package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.core.GatewayProcess;
import org.restheart.embedded.FreePort;
import org.restheart.testkit.Opened;
import org.restheart.testkit.TestClient;

/// The first reply to each listener that resumes has as many events as MongoDB sends, up to 16 MB.
class MissedEventsTest {
    private static final int LISTENERS = 60;
    private static final int MILLIS = 1_500;

    /// If MongoDB lets each listener wait between that reply and the first event, they have three times the heap.
    @Test
    void large_ones_are_not_in_memory_before_they_can_be_delivered(@TempDir Path folder) throws Exception {
        try (var deployment = OwnReplicaSet.start(1, folder);
                var mongo = MongoClients.create(deployment.connectionString())) {
            var path = "/missed/_streams/all?resumeAfter="
                    + URLEncoder.encode(positionBeforeEvents(mongo), StandardCharsets.UTF_8);
            var address = new InetSocketAddress("127.0.0.1", FreePort.find());
            var log = folder.resolve("log");
            var process = GatewayProcess.start(
                    folder, address.getPort(), deployment.connectionString(), "small", "", "-Xmx256m", "-XX:+UseG1GC");
            try {
                await().atMost(Duration.ofMinutes(2)).ignoreExceptions().until(() -> {
                    try (var socket = ask(address, "/ping")) {
                        return status(socket).endsWith("200");
                    }
                });
                OwnReplicaSet.failCommand(
                        mongo, Integer.MAX_VALUE, "ping", "blockConnection: true, blockTimeMS: " + MILLIS);
                var statuses = new ConcurrentSkipListMap<String, Integer>();
                try (var open = new Opened<Socket>();
                        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                    Callable<Integer> listener =
                            () -> statuses.merge(status(open.add(ask(address, path))), 1, Integer::sum);
                    for (int i = 0; i < LISTENERS; i++) {
                        threads.submit(listener);
                    }
                    threads.close();
                }
                assertThat(process.isAlive()).as(Files.readString(log)).isTrue();
                assertThat(statuses).containsKey("HTTP/1.1 200");
                assertThat(statuses.keySet()) // those who come late wait for memory, on a slow machine too long
                        .isSubsetOf("HTTP/1.1 200", "HTTP/1.1 503");
            } finally {
                process.destroyForcibly().onExit().join();
            }
        }
    }

    private static String positionBeforeEvents(MongoClient mongo) {
        var database = mongo.getDatabase("small");
        database.createCollection("missed");
        database.getCollection("_properties").insertOne(Document.parse("""
                {_id: '_properties.missed', streams: [{uri: 'all', stages: []}]}"""));
        var missed = database.getCollection("missed");
        try (var events = missed.watch().cursor()) {
            missed.insertOne(new Document("_id", 0));
            var token = events.next().getResumeToken().toJson().replaceAll("\\s", "");
            for (int i = 1; i <= 15; i++) {
                missed.insertOne(new Document("_id", i).append("t", "x".repeat(1_000_000)));
            }
            return token;
        }
    }

    private static Socket ask(InetSocketAddress address, String path) throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(4_096);
        socket.setSoTimeout(60_000);
        socket.connect(address);
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: "
                                + TestClient.basic("bob", "bob-pw") + "\r\nAccept: text/event-stream\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static String status(Socket socket) throws IOException {
        return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
    }
}
