package org.restheart.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;

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
                        .filter(start -> Duration.between(start, started).abs().compareTo(SAME_START) <= 0)
                        .isPresent());
    }
}
