package org.restheart.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EmbeddedMongoTest {
    @TempDir
    Path directory;

    @Test
    void accepts_transactions_once_started() {
        try (var mongo = EmbeddedMongo.start(config());
                var client = MongoClients.create(mongo.connectionString());
                var session = client.startSession()) {
            var books = client.getDatabase("test").getCollection("books");

            session.withTransaction(() -> books.insertOne(session, new Document("_id", 1)));

            assertThat(books.countDocuments()).isEqualTo(1);
        }
    }

    @Test
    void data_and_port_survive_a_restart() throws IOException {
        var first = insertOneDocument(config().withPort(FreePort.find()));
        try (var mongo = EmbeddedMongo.start(config())) {
            assertThat(mongo.port()).isEqualTo(first);
            assertThat(documents(mongo)).isEqualTo(1);
        }
    }

    @Test
    void data_survive_a_change_of_the_port() throws IOException {
        insertOneDocument(config());
        var other = FreePort.find();
        try (var mongo = EmbeddedMongo.start(config().withPort(other))) {
            assertThat(mongo.port()).isEqualTo(other);
            assertThat(documents(mongo)).isEqualTo(1);
        }
    }

    @Test
    void a_second_start_on_the_same_directory_names_the_process_that_has_it() {
        try (var _ = EmbeddedMongo.start(config())) {
            assertThatThrownBy(() -> EmbeddedMongo.start(config()))
                    .isInstanceOf(EmbeddedMongoException.class)
                    .hasMessageContaining(directory.toString())
                    .hasMessageContaining(
                            "in use by process " + ProcessHandle.current().pid());
        }
    }

    @Test
    void a_left_over_mongod_does_not_block_the_next_start() throws IOException {
        var log = directory.resolve("mongod.log");
        Files.createDirectories(directory.resolve("db"));
        var binary = MongodBinary.find(null, MongodBinary.standardCache());
        var orphan = new ProcessBuilder(
                        binary.path().toString(),
                        "--dbpath",
                        directory.resolve("db").toString(),
                        "--port",
                        "" + FreePort.find())
                .redirectOutput(log.toFile())
                .start();
        DataDirectory.LastRun.of(FreePort.find(), orphan.toHandle()).write(directory.resolve("mongod.run"));
        await().atMost(Duration.ofMinutes(2)).until(() -> Files.readString(log).contains("Waiting for connections"));

        try (var _ = EmbeddedMongo.start(config())) {
            assertThat(orphan.isAlive()).isFalse();
        }
    }

    @Test
    void a_taken_port_is_named() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> EmbeddedMongo.start(config().withPort(socket.getLocalPort())))
                    .isInstanceOf(EmbeddedMongoException.class)
                    .hasMessageContaining("port " + socket.getLocalPort());
        }
    }

    @Test
    void a_failed_start_shows_the_end_of_the_log_and_frees_the_directory() throws IOException {
        Files.createDirectories(directory.resolve("db"));
        var garbage = Files.writeString(directory.resolve("db/WiredTiger.wt"), "not a table");
        Files.writeString(directory.resolve("db/WiredTiger.turtle"), "nor is this");

        assertThatThrownBy(() -> EmbeddedMongo.start(config()))
                .isInstanceOf(EmbeddedMongoException.class)
                .hasMessageContaining("ended with status")
                .hasMessageContaining("STORAGE");

        Files.delete(garbage);
        Files.delete(directory.resolve("db/WiredTiger.turtle"));
        EmbeddedMongo.start(config()).close();
    }

    @Test
    void a_binary_that_is_no_mongod_is_reported_with_what_it_said() throws IOException {
        var script = Files.writeString(directory.resolve("mongod"), "#!/bin/sh\necho no such library >&2\nexit 127\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();

        assertThatThrownBy(() -> EmbeddedMongo.start(config().withBinary(script)))
                .isInstanceOf(EmbeddedMongoException.class)
                .hasMessageContaining("status 127")
                .hasMessageContaining("no such library");
    }

    private EmbeddedMongoConfig config() {
        return EmbeddedMongoConfig.in(directory);
    }

    private static int insertOneDocument(EmbeddedMongoConfig config) {
        try (var mongo = EmbeddedMongo.start(config)) {
            insert(mongo);
            return mongo.port();
        }
    }

    static void insert(EmbeddedMongo mongo) {
        try (var client = MongoClients.create(mongo.connectionString())) {
            client.getDatabase("test").getCollection("books").insertOne(new Document("_id", 1));
        }
    }

    static long documents(EmbeddedMongo mongo) {
        try (var client = MongoClients.create(mongo.connectionString())) {
            return client.getDatabase("test").getCollection("books").countDocuments();
        }
    }
}
