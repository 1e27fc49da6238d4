package org.restheart.core.config;

import java.time.Duration;
import java.util.List;

/// `logging`.
///
/// @param ansiConsole whether the console supports colours
/// @param filePath of the log file, when `toFile`
/// @param packages the loggers that get `level`; all others are off
/// @param fullStacktrace whole stack traces instead of abridged ones
/// @param tracingHeaders request headers to log and to echo
/// @param excludePatterns paths that are not logged: exact, or with `*` for any characters
/// @param excludeInterval one request per interval is logged for each pattern; zero for the first only
public record LoggingConfig(
        Level level,
        boolean toConsole,
        boolean ansiConsole,
        boolean noColors,
        boolean toFile,
        String filePath,
        List<String> packages,
        boolean fullStacktrace,
        RequestsLog requestsLog,
        List<String> tracingHeaders,
        List<String> excludePatterns,
        Duration excludeInterval) {

    /// How much is logged.
    public enum Level {
        OFF,
        ERROR,
        WARN,
        INFO,
        DEBUG,
        TRACE,
        ALL
    }

    /// What is logged of a request; the order is that of the numbers in the file.
    public enum RequestsLog {
        NOTHING,
        LINE,
        DUMP
    }

    static LoggingConfig read(Block block) {
        long interval = block.longInteger("requests-log-exclude-interval", 10, Long.MIN_VALUE, 525_600);
        return new LoggingConfig(
                block.oneOf("log-level", Level.INFO),
                block.bool("log-to-console", true),
                block.bool("ansi-console", true),
                block.bool("no-colors", false),
                block.bool("log-to-file", false),
                block.text("log-file-path", "restheart.log"),
                block.texts("packages", List.of("org.restheart")),
                block.bool("full-stacktrace", false),
                RequestsLog.values()[block.integer("requests-log-mode", 1, 0, 2)],
                block.texts("tracing-headers", List.of()),
                block.texts("requests-log-exclude-patterns", List.of()),
                Duration.ofMinutes(Math.max(0, interval)));
    }
}
