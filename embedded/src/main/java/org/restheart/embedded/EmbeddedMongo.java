package org.restheart.embedded;

import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoConnectionPoolClearedException;
import com.mongodb.MongoException;
import com.mongodb.MongoSocketException;
import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import com.mongodb.connection.ClusterConnectionMode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A mongod child process, running as a replica set of one member until it is closed. It is restarted after a
/// crash, on the same port and data; for clients this is like a failover. Thread-safe.
public final class EmbeddedMongo implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedMongo.class);

    private final EmbeddedMongoConfig config;
    private final MongodBinary binary;
    private final DataDirectory data;
    private final MongodStart start;
    private final int port;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread keeper;
    private volatile MongodProcess process;

    private EmbeddedMongo(
            EmbeddedMongoConfig config,
            MongodBinary binary,
            DataDirectory data,
            MongodStart start,
            MongodStart.Outcome.Running running) {
        this.config = config;
        this.binary = binary;
        this.data = data;
        this.start = start;
        this.port = running.port();
        this.process = running.process();
        this.keeper = Thread.ofVirtual().name("embedded-mongod-keeper").unstarted(this::keepRunning);
    }

    /// Returns when the primary accepts writes.
    ///
    /// @throws EmbeddedMongoException when no mongod is found, the data directory is in use, or mongod does
    ///     not start; the message then holds the end of its log
    public static EmbeddedMongo start(EmbeddedMongoConfig config) {
        var began = Instant.now();
        var binary = MongodBinary.find(config.binary(), MongodBinary.standardCache());
        var data = DataDirectory.claim(config.dataDirectory());
        var started = false;
        try {
            var start = new MongodStart(config, data, binary.path());
            var mongo = new EmbeddedMongo(config, binary, data, start, start.onAnyAllowedPort());
            mongo.keeper.start();
            started = true;
            LOG.info(
                    "Embedded MongoDB is ready after {} ms: {} ({}), data in {}, port {}",
                    Duration.between(began, Instant.now()).toMillis(),
                    binary.path(),
                    binary.source().words(),
                    config.dataDirectory(),
                    mongo.port);
            return mongo;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new EmbeddedMongoException("interrupted while mongod was starting");
        } finally {
            if (!started) {
                data.close();
            }
        }
    }

    public String connectionString() {
        return connectionString(port);
    }

    static String connectionString(int port) {
        return "mongodb://127.0.0.1:" + port + "/?replicaSet=" + EmbeddedMongoConfig.REPLICA_SET;
    }

    public int port() {
        return port;
    }

    /// The running binary and where it was found.
    public MongodBinary binary() {
        return binary;
    }

    /// Shuts mongod down cleanly, which waits for the data to be on disk; or at once when they need not be
    /// durable.
    @Override
    public void close() {
        closing.countDown();
        keeper.interrupt();
        try {
            keeper.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        if (!config.durable()) {
            process.kill();
        }
        process.stop();
        data.close();
    }

    /// The child, for tests that kill it.
    ProcessHandle child() {
        return process.mongod().orElseThrow();
    }

    private void keepRunning() {
        var backoff = new Backoff();
        try {
            while (true) {
                var aliveSince = Instant.now();
                var status = process.waitFor();
                LOG.warn("mongod ended by itself with status {}; {}", status, process.logEnd());
                process.stop(); // its guard may have ended alone
                if (!restart(backoff, aliveSince)) {
                    return;
                }
            }
        } catch (InterruptedException _) {
            // close() interrupts this thread and stops what is running
        }
    }

    /// @return false when no further attempt is made
    private boolean restart(Backoff backoff, Instant aliveSince) throws InterruptedException {
        var diedAfter = aliveSince;
        while (true) {
            var pause = backoff.afterFailure(diedAfter, Instant.now());
            if (pause.isEmpty()) {
                LOG.error("mongod could not be restarted; there is no database until this process is restarted");
                return false;
            }
            if (closing.await(pause.get().toMillis(), TimeUnit.MILLISECONDS)) {
                return false;
            }
            diedAfter = Instant.now();
            try {
                if (start.on(port) instanceof MongodStart.Outcome.Running running) {
                    process = running.process();
                    LOG.info("mongod runs again on port {}", port);
                    return true;
                }
                LOG.warn("mongod could not be restarted: port {} is in use", port);
            } catch (EmbeddedMongoException e) {
                LOG.warn("mongod could not be restarted: {}", e.getMessage());
            }
        }
    }

    /// The delays between restarts and the limit of attempts. Confined to one thread.
    static final class Backoff {
        private static final int MAX_FAILURES = 8;
        private static final Duration FIRST = Duration.ofMillis(100);

        /// A process that ran this long counts as stable: its end is counted as the first failure.
        private static final Duration SOUND = Duration.ofMinutes(1);

        private int failures;

        /// @return how long to wait before the next attempt, from 100 ms doubling to 12.8 s; empty after the
        ///     eighth in a row
        Optional<Duration> afterFailure(Instant aliveSince, Instant now) {
            if (Duration.between(aliveSince, now).compareTo(SOUND) > 0) {
                failures = 0;
            }
            failures++;
            return failures > MAX_FAILURES ? Optional.empty() : Optional.of(FIRST.multipliedBy(1L << (failures - 1)));
        }
    }

    /// Starts a mongod on a data directory and waits for a primary that accepts writes.
    record MongodStart(EmbeddedMongoConfig config, DataDirectory data, Path binary) {
        private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");
        private static final int POLL_MILLIS = 10;
        private static final int STATUS_ADDRESS_IN_USE = 48; // mongod's ExitCode::netError

        /// In percent of the cache. A write of 16 MiB takes 32 MiB of it, with the oplog. While eviction has no
        /// processor, MongoDB aborts (388) what is beyond its own limit for changes: a tenth, 26 MiB of 256.
        private static final String ROOM_FOR_WRITES =
                "--wiredTigerEngineConfigString=eviction_dirty_trigger=80,eviction_updates_trigger=80";

        /// A port that was free when checked can be in use a moment later.
        private static final int PORT_ATTEMPTS = 5;

        /// The longest time until the primary accepts writes, recovery of the data included.
        private static final Duration TIMEOUT = Duration.ofMinutes(1);

        /// The result of a start; every other result is an [EmbeddedMongoException].
        sealed interface Outcome {
            record Running(MongodProcess process, int port) implements Outcome {}

            record PortTaken(int port) implements Outcome {}
        }

        /// On the configured port, or on one that is free.
        Outcome.Running onAnyAllowedPort() throws InterruptedException {
            for (var attempt = 1; ; attempt++) {
                var port = config.port() != 0 ? config.port() : attempt == 1 ? lastPortIfFree() : FreePort.find();
                switch (on(port)) {
                    case Outcome.Running running -> {
                        return running;
                    }
                    case Outcome.PortTaken _ -> {
                        if (config.port() != 0 || attempt == PORT_ATTEMPTS) {
                            throw new EmbeddedMongoException("port " + port + " of 127.0.0.1 is in use");
                        }
                    }
                }
            }
        }

        Outcome on(int port) throws InterruptedException {
            if (!isFree(port)) {
                return new Outcome.PortTaken(port);
            }
            var process = MongodProcess.start(command(port), data.log());
            Outcome outcome = new Outcome.PortTaken(port);
            try {
                process.mongod().ifPresent(mongod -> data.remember(port, mongod));
                outcome = awaitPrimary(process, port);
                return outcome;
            } finally {
                if (!(outcome instanceof Outcome.Running)) {
                    process.stop();
                }
            }
        }

        private List<String> command(int port) {
            var command = new ArrayList<>(List.of(
                    binary.toString(),
                    "--dbpath=" + data.db(),
                    "--bind_ip=127.0.0.1",
                    "--port=" + port,
                    "--nounixsocket",
                    "--replSet=" + EmbeddedMongoConfig.REPLICA_SET,
                    "--oplogSize=1024", // MB; the default is a twentieth of the disk
                    "--wiredTigerCacheSizeGB=" + config.cacheMegabytes() / 1024.0,
                    ROOM_FOR_WRITES,
                    "--setParameter=diagnosticDataCollectionEnabled=false",
                    "--quiet"));
            config.serverParameters().forEach(parameter -> command.add("--setParameter=" + parameter));
            return command;
        }

        private Outcome awaitPrimary(MongodProcess process, int port) throws InterruptedException {
            var deadline = Instant.now().plus(TIMEOUT);
            while (!listens(port)) {
                if (!process.isAlive()) {
                    return ended(process, port);
                }
                pause(process, deadline, "listening");
            }
            try (var set = new ReplicaSet(EmbeddedMongoConfig.REPLICA_SET, port, config.durable())) {
                if (!connected(process, deadline, () -> set.keepsDataIn(data.db()))) {
                    return new Outcome.PortTaken(port);
                }
                connected(process, deadline, () -> {
                    set.configure();
                    return true;
                });
                while (!set.isWritable()) {
                    if (!process.isAlive()) {
                        return ended(process, port);
                    }
                    pause(process, deadline, "a writable primary");
                }
                return new Outcome.Running(process, port);
            } catch (MongoException e) {
                if (!process.isAlive()) {
                    return ended(process, port);
                }
                throw new EmbeddedMongoException(
                        "mongod runs but could not be set up: " + e.getMessage() + "; " + process.logEnd(), e);
            }
        }

        /// Repeats what a broken connection ends: the driver gives up while its pool is paused, as it is
        /// after a first connection that the starting server has closed.
        private <T> T connected(MongodProcess process, Instant deadline, Supplier<T> command)
                throws InterruptedException {
            while (true) {
                try {
                    return command.get();
                } catch (MongoSocketException | MongoConnectionPoolClearedException e) {
                    if (!process.isAlive()) {
                        throw e;
                    }
                    pause(process, deadline, "ready for commands");
                }
            }
        }

        private Outcome ended(MongodProcess process, int port) throws InterruptedException {
            var status = process.waitFor();
            if (status == STATUS_ADDRESS_IN_USE) {
                return new Outcome.PortTaken(port);
            }
            throw new EmbeddedMongoException("mongod (" + binary + ") ended with status " + status
                    + " before it was ready; " + process.logEnd());
        }

        private void pause(MongodProcess process, Instant deadline, String awaited) throws InterruptedException {
            if (Instant.now().isAfter(deadline)) {
                throw new EmbeddedMongoException(
                        "mongod was not " + awaited + " within " + TIMEOUT.toSeconds() + " s; " + process.logEnd());
            }
            Thread.sleep(POLL_MILLIS);
        }

        private static boolean listens(int port) {
            try (var socket = new Socket()) {
                socket.connect(new InetSocketAddress(LOOPBACK, port), 1_000);
                return true;
            } catch (IOException _) {
                return false;
            }
        }

        /// Reusing the port avoids a new address of the replica set and a new connection string.
        private int lastPortIfFree() {
            var last = data.lastPort();
            return last.isPresent() && isFree(last.getAsInt()) ? last.getAsInt() : FreePort.find();
        }

        private static boolean isFree(int port) {
            try (var _ = new ServerSocket(port, 1, LOOPBACK)) {
                return true;
            } catch (IOException _) {
                return false;
            }
        }

        /// The replica set of one member: keeps the member's address in its configuration current.
        private static final class ReplicaSet implements AutoCloseable {
            private static final int NOT_YET_INITIALIZED = 94;
            private static final int TIMEOUT_SECONDS = 30;

            private final MongoClient client;
            private final MongoDatabase admin;
            private final String name;
            private final String member;
            private final boolean durable;

            /// @param durable whether acknowledged writes are on disk
            ReplicaSet(String name, int port, boolean durable) {
                this.client = MongoClients.create(MongoClientSettings.builder()
                        .applyToClusterSettings(cluster -> cluster.mode(ClusterConnectionMode.SINGLE)
                                .hosts(List.of(new ServerAddress("127.0.0.1", port)))
                                .serverSelectionTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS))
                        .applyToSocketSettings(socket -> socket.connectTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                                .readTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS))
                        .readPreference(ReadPreference.nearest())
                        .build());
                this.admin = client.getDatabase("admin");
                this.name = name;
                this.member = "127.0.0.1:" + port;
                this.durable = durable;
            }

            /// Whether the process that responds on the port keeps its data there: another one took the
            /// port first if not.
            ///
            /// @param directory absolute; what may precede it is the drive that Wine adds
            boolean keepsDataIn(Path directory) {
                var storage =
                        run(command("getCmdLineOpts")).getDocument("parsed").getDocument("storage", new BsonDocument());
                return storage.getString("dbPath", new BsonString(""))
                        .getValue()
                        .endsWith(directory.toString());
            }

            /// Initiates the set, or moves it to this port. Returns before the member is primary.
            void configure() {
                try {
                    var current = run(command("replSetGetConfig")).getDocument("config");
                    if (!current.getArray("members").equals(members(current.getArray("members")))) {
                        move(current);
                    }
                } catch (MongoCommandException e) {
                    if (e.getErrorCode() != NOT_YET_INITIALIZED) {
                        throw e;
                    }
                    initiate();
                }
            }

            /// False also while a server that just started refuses connections.
            boolean isWritable() {
                try {
                    return run(command("hello"))
                            .getBoolean("isWritablePrimary", BsonBoolean.FALSE)
                            .getValue();
                } catch (MongoException _) {
                    return false; // the caller asks again until its deadline
                }
            }

            @Override
            public void close() {
                client.close();
            }

            private void initiate() {
                var onlyMember = new BsonDocument("_id", new BsonInt32(0)).append("host", new BsonString(member));
                var config = new BsonDocument("_id", new BsonString(name))
                        .append("members", new BsonArray(List.of(onlyMember)))
                        .append("writeConcernMajorityJournalDefault", BsonBoolean.valueOf(durable));
                run(new BsonDocument("replSetInitiate", config));
            }

            /// Forced reconfiguration: the member is not reachable under the old address, so there is no
            /// primary.
            private void move(BsonDocument current) {
                var config = current.clone();
                config.put("members", members(current.getArray("members")));
                config.put("version", new BsonInt32(current.getNumber("version").intValue() + 1));
                run(new BsonDocument("replSetReconfig", config).append("force", BsonBoolean.TRUE));
            }

            private BsonArray members(BsonArray current) {
                var onlyMember = current.get(0).asDocument().clone();
                onlyMember.put("host", new BsonString(member));
                return new BsonArray(List.of(onlyMember));
            }

            private static BsonDocument command(String name) {
                return new BsonDocument(name, new BsonInt32(1));
            }

            private BsonDocument run(BsonDocument command) {
                return admin.runCommand(command, BsonDocument.class);
            }
        }
    }
}
