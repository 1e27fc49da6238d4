package org.restheart.core.logging;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.spi.LifeCycle;
import ch.qos.logback.core.util.Duration;
import ch.qos.logback.core.util.FileSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.LogManager;
import org.restheart.core.config.LoggingConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Turns the `logging` block into appenders and levels. Not thread-safe; called once, before anything is logged.
public final class LogSetup {
    /// The name of the audit log's logger.
    public static final String AUDIT = "org.restheart.audit";

    private static final String LINE = "%d{HH:mm:ss.SSS} [%thread] %-5level %msg%n";
    private static final String COLOURED_LINE = "%d{HH:mm:ss.SSS} [%thread] %highlight(%-5level) %msg%n";

    /// Without the colours that messages have for the console.
    private static final String FILE_LINE =
            "%d{HH:mm:ss.SSS} [%thread] %-5level %replace(%msg){'\u001b\\[[0-9;]*m', ''}%n";

    private static final String ABRIDGED_TRACE = "8";
    private static final String WHOLE_TRACE = "full";

    private static final FileSize MAX_FILE_SIZE = FileSize.valueOf("5MB");
    private static final int MAX_OLD_FILES = 5;

    /// The default of a minute lets a busy server exceed the size by far.
    private static final Duration CHECK_SIZE_EVERY = Duration.buildByMilliseconds(100);

    /// Capacity of the queue of lines to write; when it is full, the logging thread blocks.
    private static final int QUEUE = 1024;

    private final LoggingConfig config;
    private final LoggerContext context;
    private final boolean colours;

    /// Paths of files that cannot be opened; logback itself says nothing of them.
    private final List<String> unwritable = new ArrayList<>();

    private LogSetup(LoggingConfig config, LoggerContext context, boolean colours) {
        this.config = config;
        this.context = context;
        this.colours = colours;
    }

    /// Does nothing if the system property `logback.configurationFile` names a configuration, which takes
    /// precedence.
    public static void apply(LoggingConfig config) {
        if (System.getProperty("logback.configurationFile") == null
                && LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            apply(config, context, showsColours(config));
        }
    }

    /// Changes the levels alone, while events are logged.
    public static void applyLevels(LoggingConfig config) {
        if (System.getProperty("logback.configurationFile") == null
                && LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            new LogSetup(config, context, false).applyLevels(true);
        }
    }

    /// Whether messages for the console have colours: on a terminal, unless the configuration or `NO_COLOR`
    /// says no.
    public static boolean showsColours(LoggingConfig config) {
        return showsColours(config, System.getenv(), isTerminal());
    }

    /// From JDK 22 on there is a console also where there is no terminal.
    @SuppressWarnings("SystemConsoleNull") // it may be null if the JVM was started without one
    private static boolean isTerminal() {
        var console = System.console();
        return console != null && console.isTerminal();
    }

    static boolean showsColours(LoggingConfig config, Map<String, String> environment, boolean terminal) {
        return terminal
                && config.ansiConsole()
                && !config.noColors()
                && config.format() == LoggingConfig.Format.TEXT
                && environment.getOrDefault("NO_COLOR", "").isEmpty();
    }

    /// Writes the queued lines. Nothing is logged afterwards: called when the process ends.
    public static void flush() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.stop();
        }
    }

    static void apply(LoggingConfig config, LoggerContext context, boolean colours) {
        silencePlatformLog();
        new LogSetup(config, context, colours).apply();
    }

    /// Libraries that log through the platform, such as Caffeine, would write stack traces to standard error.
    /// They are off, like all loggers that `packages` does not name, unless the platform's log is configured.
    private static void silencePlatformLog() {
        if (System.getProperty("java.util.logging.config.file") == null
                && System.getProperty("java.util.logging.config.class") == null) {
            LogManager.getLogManager().reset();
        }
    }

    private void apply() {
        context.reset();
        var appenders = new ArrayList<Appender<ILoggingEvent>>();
        if (config.toConsole()) {
            appenders.add(console());
        }
        if (config.toFile()) {
            var file = file("file", config.filePath());
            if (file.isStarted()) {
                appenders.add(behindQueue(file));
            } else if (appenders.isEmpty()) {
                appenders.add(console());
            }
        }
        var root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.OFF);
        appenders.forEach(root::addAppender);
        config.auditPath().ifPresent(path -> {
            var audit = context.getLogger(AUDIT);
            var file = file("audit", path);
            if (file.isStarted()) {
                audit.addAppender(behindQueue(file));
                audit.setAdditive(false);
            }
        });
        applyLevels(false);
        unwritable.forEach(path -> context.getLogger(LogSetup.class)
                .error("the log file {} cannot be written: the log goes without it", path));
    }

    /// @param anew whether loggers of an earlier configuration are to be switched off
    private void applyLevels(boolean anew) {
        if (anew) {
            context.getLoggerList().stream()
                    .filter(logger -> !logger.getName().equals(Logger.ROOT_LOGGER_NAME))
                    .forEach(logger -> logger.setLevel(null));
        }
        var level = Level.toLevel(config.level().name());
        config.packages().forEach(name -> context.getLogger(name).setLevel(level));
        if (config.audit() != LoggingConfig.Audit.NOTHING || config.auditPath().isPresent()) {
            context.getLogger(AUDIT).setLevel(Level.INFO);
        }
    }

    /// Whether an appender's lines have colours; empty if their layout is a configured one.
    static Optional<Boolean> colours(ConsoleAppender<?> appender) {
        return appender.getEncoder() instanceof PatternLayoutEncoder encoder
                ? Optional.of(encoder.getPattern())
                        .filter(pattern -> pattern.startsWith(LINE) || pattern.startsWith(COLOURED_LINE))
                        .map(pattern -> pattern.startsWith(COLOURED_LINE))
                : Optional.empty();
    }

    private Appender<ILoggingEvent> console() {
        var console = new ConsoleAppender<ILoggingEvent>();
        console.setName("console");
        console.setEncoder(encoder(colours ? COLOURED_LINE : LINE));
        return started(console);
    }

    private Appender<ILoggingEvent> file(String name, String path) {
        var file = new RollingFileAppender<ILoggingEvent>();
        file.setName(name);
        file.setFile(path);
        file.setEncoder(encoder(FILE_LINE));

        var older = new FixedWindowRollingPolicy();
        older.setParent(file);
        older.setFileNamePattern(path + "-%i.log.zip");
        older.setMinIndex(1);
        older.setMaxIndex(MAX_OLD_FILES);

        var size = new SizeBasedTriggeringPolicy<ILoggingEvent>();
        size.setMaxFileSize(MAX_FILE_SIZE);
        size.setCheckIncrement(CHECK_SIZE_EVERY);

        file.setRollingPolicy(started(older));
        file.setTriggeringPolicy(started(size));
        if (!started(file).isStarted()) {
            unwritable.add(path);
        }
        return file;
    }

    private Appender<ILoggingEvent> behindQueue(Appender<ILoggingEvent> appender) {
        var queue = new AsyncAppender();
        queue.setName("queue");
        queue.setQueueSize(QUEUE);
        queue.setDiscardingThreshold(0);
        queue.setContext(context); // it reports what is added
        queue.addAppender(appender);
        return started(queue);
    }

    private Encoder<ILoggingEvent> encoder(String line) {
        var depth = config.fullStacktrace() ? WHOLE_TRACE : ABRIDGED_TRACE;
        if (config.format() == LoggingConfig.Format.JSON) {
            return started(new LogEncoders.Json(depth));
        }
        var encoder = new LogEncoders.Text(line.equals(COLOURED_LINE));
        encoder.setPattern(line + "%ex{" + depth + "}");
        return started(encoder);
    }

    private <T extends ContextAware & LifeCycle> T started(T part) {
        part.setContext(context);
        part.start();
        return part;
    }
}
