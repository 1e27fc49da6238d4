package org.restheart.embedded;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
}
