package org.restheart.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A data directory that this process alone may use, until it is closed:
///
/// - `db/`: mongod's files
/// - `mongod.log`: its log; the one before is `mongod.log.1`
/// - `mongod.run`: port and process of the last mongod, see [LastRun]
/// - `lock`: locked while in use; names the process
///
/// The operating system releases the lock when the process ends, so it cannot be stale, whatever the file contains.
record DataDirectory(Path directory, FileChannel lock) implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);
    private static final long MAX_LOG_BYTES = 16L << 20;

    /// Also ends a mongod left by an earlier process.
    ///
    /// @throws EmbeddedMongoException when another process uses it, or it cannot be written
    static DataDirectory claim(Path path) {
        var directory = path.toAbsolutePath().normalize();
        try {
            Files.createDirectories(directory.resolve("db"));
            var claimed = new DataDirectory(directory, lock(directory));
            claimed.endLeftOver();
            claimed.rotateLog();
            return claimed;
        } catch (IOException e) {
            throw new EmbeddedMongoException("the data directory " + directory + " cannot be used: " + e, e);
        }
    }

    Path db() {
        return directory.resolve("db");
    }

    Path log() {
        return directory.resolve("mongod.log");
    }

    OptionalInt lastPort() {
        return LastRun.read(runFile()).map(run -> OptionalInt.of(run.port())).orElse(OptionalInt.empty());
    }

    void remember(int port, ProcessHandle mongod) {
        LastRun.of(port, mongod).write(runFile());
    }

    @Override
    public void close() {
        try {
            lock.close(); // the file stays: deleting it would let two processes lock two files of that name
        } catch (IOException e) {
            LOG.warn("The lock of {} could not be released: {}", directory, e.toString());
        }
    }

    private static FileChannel lock(Path directory) throws IOException {
        var file = directory.resolve("lock");
        var channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) {
                channel.truncate(0);
                channel.write(ByteBuffer.wrap(
                        Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.UTF_8)));
                return channel;
            }
        } catch (OverlappingFileLockException _) {
            // locked by this process
        }
        var owner = Files.readString(file).strip();
        channel.close();
        throw new EmbeddedMongoException.DirectoryInUse(
                "the data directory " + directory + " is in use by process " + owner,
                LastRun.read(runFile(directory)).map(run -> EmbeddedMongo.connectionString(run.port())));
    }

    private Path runFile() {
        return runFile(directory);
    }

    private static Path runFile(Path directory) {
        return directory.resolve("mongod.run");
    }

    /// The lock is held, so the process that started that mongod has ended: the mongod is stopping or an orphan.
    private void endLeftOver() {
        var leftOver = LastRun.read(runFile()).flatMap(LastRun::stillRunning);
        if (leftOver.isPresent()) {
            LOG.info(
                    "Stopping mongod {}, left over from an earlier run on {}",
                    leftOver.get().pid(),
                    directory);
            try {
                MongodProcess.stop(leftOver.get());
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void rotateLog() throws IOException {
        if (Files.exists(log()) && Files.size(log()) > MAX_LOG_BYTES) {
            Files.move(log(), directory.resolve("mongod.log.1"), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /// The record of a running mongod for the next start on the same directory: one line `port pid start`.
    ///
    /// @param started distinguishes the process from a later one with the same pid
    record LastRun(int port, long pid, Instant started) {
        private static final Pattern LINE = Pattern.compile("(\\d{1,5}) (\\d{1,10}) (\\d{1,15})");

        /// The system's start times are exact to a second when its clock is corrected in between.
        private static final Duration SAME_START = Duration.ofSeconds(2);

        static LastRun of(int port, ProcessHandle mongod) {
            return new LastRun(port, mongod.pid(), mongod.info().startInstant().orElse(Instant.EPOCH));
        }

        /// Empty when there is none or it cannot be read: it is only an optimization.
        static Optional<LastRun> read(Path file) {
            try {
                var line = LINE.matcher(Files.readString(file).strip());
                return line.matches()
                        ? Optional.of(new LastRun(
                                Integer.parseInt(line.group(1)),
                                Long.parseLong(line.group(2)),
                                Instant.ofEpochMilli(Long.parseLong(line.group(3)))))
                        : Optional.empty();
            } catch (IOException _) {
                return Optional.empty();
            }
        }

        void write(Path file) {
            try {
                Files.writeString(file, port + " " + pid + " " + started.toEpochMilli() + "\n");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        Optional<ProcessHandle> stillRunning() {
            return ProcessHandle.of(pid)
                    .filter(process -> process.info()
                            .startInstant()
                            .filter(start ->
                                    Duration.between(start, started).abs().compareTo(SAME_START) <= 0)
                            .isPresent());
        }
    }
}
