package org.restheart.embedded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.json.JsonParseException;

/// A mongod supervised by a guard: a shell that stops it as soon as the pipe to this process closes. The kernel closes
/// the pipe when this process ends for any reason, SIGKILL included, so no polling is needed and no child is left.
/// Thread-safe.
///
/// The guard runs in its own session where `setsid` exists: otherwise Ctrl-C at the terminal would stop mongod before
/// the gateway has completed its requests.
///
/// @param mongod empty only when it ended before it could be seen
/// @param logStart where in the log its lines begin
record MongodProcess(Process guard, Optional<ProcessHandle> mongod, Path log, long logStart) {
    /// Arguments: the log file, the seconds for a clean stop, then mongod's command line. Prints mongod's
    /// pid, ends with mongod's status.
    private static final String GUARD = """
        log=$1; left=$2; shift 2
        exec 3<&0
        "$@" 3<&- </dev/null >>"$log" 2>&1 &
        mongod=$!
        echo $mongod
        (
            while read -r _; do :; done
            kill -TERM $mongod
            while kill -0 $mongod && [ $left -gt 0 ]; do sleep 1; left=$((left - 1)); done
            kill -KILL $mongod
        ) <&3 >/dev/null 2>&1 &
        watcher=$!
        wait $mongod
        status=$?
        kill $watcher 2>/dev/null
        exit $status
        """;

    /// How long mongod may take for a clean stop, which includes a last checkpoint of the data.
    private static final Duration STOP = Duration.ofSeconds(30);

    static MongodProcess start(List<String> mongodCommand, Path log) {
        var command = new ArrayList<String>();
        SearchPath.ofEnvironment().find("setsid").ifPresent(setsid -> command.add(setsid.toString()));
        command.addAll(
                List.of("/bin/sh", "-c", GUARD, "mongod-guard", log.toString(), Long.toString(STOP.toSeconds())));
        command.addAll(mongodCommand);
        try {
            var logStart = Files.exists(log) ? Files.size(log) : 0;
            var guard = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            var pid = guard.inputReader(StandardCharsets.US_ASCII).readLine();
            return new MongodProcess(
                    guard,
                    pid == null ? Optional.empty() : ProcessHandle.of(Long.parseLong(pid.strip())),
                    log,
                    logStart);
        } catch (IOException e) {
            throw new EmbeddedMongoException("mongod could not be started: " + e.getMessage(), e);
        }
    }

    boolean isAlive() {
        return guard.isAlive();
    }

    /// mongod's exit status, or 128 and the signal that killed it, in the manner of shells.
    int waitFor() throws InterruptedException {
        return guard.waitFor();
    }

    /// For messages: the last lines that this mongod has written.
    String logEnd() {
        return LogEnd.of(log, logStart);
    }

    /// Kills mongod immediately.
    void kill() {
        mongod.ifPresent(ProcessHandle::destroyForcibly);
    }

    /// Stops mongod cleanly, by force after [#STOP]; returns when it is gone, also when the guard was
    /// killed before.
    void stop() {
        try {
            guard.getOutputStream().close();
        } catch (IOException _) {
            // The guard has ended: then so has its end of the pipe.
        }
        try {
            var timeout = STOP.plusSeconds(5);
            guard.waitFor(timeout.toSeconds(), TimeUnit.SECONDS);
            if (mongod.isPresent() && mongod.get().isAlive()) {
                stop(mongod.get());
            }
        } catch (InterruptedException _) {
            mongod.ifPresent(ProcessHandle::destroyForcibly);
            Thread.currentThread().interrupt();
        } finally {
            guard.destroyForcibly();
        }
    }

    /// TERM, timeout, KILL; returns when the process is gone. Does nothing to a process that has already
    /// ended, nor to one that has been given its pid since.
    static void stop(ProcessHandle process) throws InterruptedException {
        process.destroy();
        if (!awaitExit(process, STOP)) {
            process.destroyForcibly();
            awaitExit(process, STOP);
        }
    }

    private static boolean awaitExit(ProcessHandle process, Duration timeout) throws InterruptedException {
        try {
            process.onExit().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException _) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("the end of process " + process.pid() + " cannot be observed", e);
        }
    }

    /// The last lines of mongod's log in readable form: mongod writes one long JSON document per line.
    static final class LogEnd {
        private static final int BYTES = 64 << 10;
        private static final int LINES = 12;
        private static final int LINE_CHARACTERS = 400;

        private LogEnd() {}

        /// Errors and warnings if there are any, else whatever came last.
        ///
        /// @param from what was logged before that byte is left out
        static String of(Path log, long from) {
            try {
                var lines = lastBytes(log, from)
                        .lines()
                        .filter(line -> !line.isBlank())
                        .toList();
                var grave = lines.stream().filter(LogEnd::isGrave).toList();
                return "the end of " + log + ":\n" + condensed(grave.isEmpty() ? lines : grave);
            } catch (IOException e) {
                return "its log " + log + " cannot be read: " + e;
            }
        }

        private static String lastBytes(Path log, long from) throws IOException {
            try (var channel = FileChannel.open(log)) {
                var buffer = ByteBuffer.allocate(BYTES);
                channel.read(buffer, Math.max(from, channel.size() - BYTES));
                return new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8);
            }
        }

        private static boolean isGrave(String line) {
            return !line.startsWith("{") || line.contains("\"s\":\"E\"") || line.contains("\"s\":\"F\"");
        }

        private static String condensed(List<String> lines) {
            return lines.stream()
                    .skip(Math.max(0, lines.size() - LINES))
                    .map(LogEnd::condensed)
                    .map(line ->
                            "  " + (line.length() > LINE_CHARACTERS ? line.substring(0, LINE_CHARACTERS) + "…" : line))
                    .collect(Collectors.joining("\n"));
        }

        private static String condensed(String line) {
            if (!line.startsWith("{")) {
                return line;
            }
            try {
                var entry = BsonDocument.parse(line);
                var attributes = entry.containsKey("attr")
                        ? " " + entry.getDocument("attr").toJson()
                        : "";
                return entry.getString("c").getValue() + ": "
                        + entry.getString("msg").getValue() + attributes;
            } catch (JsonParseException _) {
                return line; // cut off at the start, or not mongod's own
            }
        }
    }
}
