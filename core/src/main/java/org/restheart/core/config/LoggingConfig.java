package org.restheart.core.config;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// `logging`.
public record LoggingConfig(
        Level level,
        boolean toConsole,
        boolean ansiConsole,
        boolean noColors,
        boolean toFile,
        String filePath,
        Format format,
        long maxFileSize,
        int oldFiles,
        Audit audit,
        Optional<String> auditPath,
        List<String> packages,
        boolean fullStacktrace,
        RequestsLog requestsLog,
        List<String> tracingHeaders,
        List<String> excludePatterns,
        Duration excludeInterval) {

    public enum Level {
        OFF,
        ERROR,
        WARN,
        INFO,
        DEBUG,
        TRACE,
        ALL
    }

    public enum Format {
        TEXT,
        /// One object per line.
        JSON
    }

    /// Which requests are audited. Refused ones are, whatever they wanted, unless none are.
    public enum Audit {
        NOTHING,
        WRITES,
        ALL
    }

    /// What is logged of a request; the order is that of the numbers in the file.
    public enum RequestsLog {
        NOTHING,
        LINE,
        DUMP
    }

    static LoggingConfig read(Block block) {
        long interval = block.longInteger("requests-log-exclude-interval");
        return new LoggingConfig(
                block.oneOf("log-level", Level.class),
                block.bool("log-to-console"),
                block.bool("ansi-console"),
                block.bool("no-colors"),
                block.bool("log-to-file"),
                block.text("log-file-path"),
                block.oneOf("log-format", Format.class),
                block.longInteger("log-file-max-size"),
                block.integer("log-files-kept"),
                block.oneOf("audit", Audit.class),
                block.optionalText("audit-file-path"),
                block.texts("packages"),
                block.bool("full-stacktrace"),
                RequestsLog.values()[block.integer("requests-log-mode")],
                block.texts("tracing-headers"),
                block.texts("requests-log-exclude-patterns"),
                Duration.ofMinutes(Math.max(0, interval)));
    }
}
