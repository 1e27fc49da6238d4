package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.bson.BsonDocument;
import org.restheart.embedded.EmbeddedMongoException;
import org.restheart.embedded.MongodBinary;

/// A mongod of a test's own that is no member of a replica set: without change streams, transactions and cluster time.
public final class OwnStandalone implements AutoCloseable {
    private final Process process;
    private final String connectionString;

    private OwnStandalone(Process process, String connectionString) {
        this.process = process;
        this.connectionString = connectionString;
    }

    /// Aborts the test where there is no mongod.
    public static OwnStandalone start(Path folder) throws IOException {
        var mongod = mongod();
        for (int attempt = 0; attempt < 3; attempt++) { // another process may take the port
            int port = freePort();
            var data = Files.createDirectory(folder.resolve("data" + attempt));
            var process = new ProcessBuilder(
                            mongod.path().toString(),
                            "--port",
                            "" + port,
                            "--dbpath",
                            data.toString(),
                            "--bind_ip",
                            "127.0.0.1",
                            "--nounixsocket",
                            "--setParameter",
                            "diagnosticDataCollectionEnabled=false",
                            "--wiredTigerCacheSizeGB",
                            "0.25")
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("log" + attempt).toFile())
                    .start();
            var started = new OwnStandalone(process, "mongodb://127.0.0.1:" + port);
            await().atMost(Duration.ofSeconds(60)).until(() -> !process.isAlive() || started.answers());
            if (process.isAlive()) {
                return started;
            }
        }
        throw new AssertionError("no mongod started: see " + folder);
    }

    private static MongodBinary mongod() {
        try {
            return MongodBinary.find(null, MongodBinary.standardCache());
        } catch (EmbeddedMongoException e) {
            return abort("needs a mongod of its own: " + e.getMessage());
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private boolean answers() {
        try (var client = MongoClients.create(connectionString + "/?serverSelectionTimeoutMS=500")) {
            client.getDatabase("admin").runCommand(BsonDocument.parse("{ping: 1}"));
            return true;
        } catch (MongoException _) {
            return false;
        }
    }

    public String connectionString() {
        return connectionString;
    }

    /// @param name `STOP` or `CONT`
    public void signal(String name) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, "" + process.pid())
                        .start()
                        .waitFor())
                .isZero();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
