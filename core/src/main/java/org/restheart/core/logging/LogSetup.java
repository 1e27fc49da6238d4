package org.restheart.core.logging;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.EncoderBase;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.spi.AppenderAttachable;
import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.spi.LifeCycle;
import ch.qos.logback.core.util.Duration;
import ch.qos.logback.core.util.FileSize;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.LogManager;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.restheart.core.config.LoggingConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/// Turns the `logging` block into appenders and levels. Not thread-safe; called once, before anything is logged.
public final class LogSetup {
    /// The name of the audit log's logger.
    public static final String AUDIT = "org.restheart.audit";

    /// The date and the zone in lines that are kept; who watches a terminal knows them.
    static final String DATE = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX";

    private static final String LINE = "%d{" + DATE + "} [%thread] %-5level %msg%n";
    private static final String COLORED_LINE = "%d{HH:mm:ss.SSS} [%thread] %highlight(%-5level) %msg%n";

    /// Without the colors that messages have for the console.
    private static final String FILE_LINE =
            "%d{" + DATE + "} [%thread] %-5level %replace(%msg){'\u001b\\[[0-9;]*m', ''}%n";

    private static final String ABRIDGED_TRACE = "8";
    private static final String WHOLE_TRACE = "full";

    /// The default of a minute lets a busy server exceed the size by far.
    private static final Duration CHECK_SIZE_EVERY = Duration.buildByMilliseconds(100);

    /// Capacity of the queue of lines to write; when it is full, the logging thread blocks.
    private static final int QUEUE = 1024;

    private final LoggingConfig config;
    private final LoggerContext context;
    private final boolean colors;

    /// Paths of files that cannot be opened; logback itself says nothing of them.
    private final List<String> unwritable = new ArrayList<>();

    private LogSetup(LoggingConfig config, LoggerContext context, boolean colors) {
        this.config = config;
        this.context = context;
        this.colors = colors;
    }

    /// Does nothing if the system property `logback.configurationFile` names a configuration, which takes
    /// precedence.
    public static void apply(LoggingConfig config) {
        if (System.getProperty("logback.configurationFile") == null
                && LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            apply(config, context, showsColors(config));
        }
    }

    /// Changes the levels alone, while events are logged.
    public static void applyLevels(LoggingConfig config) {
        if (System.getProperty("logback.configurationFile") == null
                && LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            new LogSetup(config, context, false).applyLevels(true);
        }
    }

    /// Opens the files anew that something else has renamed.
    public static void reopenFiles() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            reopenFiles(context);
        }
    }

    static void reopenFiles(LoggerContext context) {
        for (var logger : context.getLoggerList()) {
            files(logger).forEach(file -> {
                try {
                    file.openFile(file.getFile());
                } catch (IOException e) {
                    LoggerFactory.getLogger(LogSetup.class)
                            .error("the log file {} cannot be opened anew: {}", file.getFile(), e.getMessage());
                }
            });
        }
    }

    /// The files of a logger, each behind its queue or not.
    private static List<FileAppender<?>> files(AppenderAttachable<ILoggingEvent> attached) {
        var files = new ArrayList<FileAppender<?>>();
        attached.iteratorForAppenders().forEachRemaining(appender -> {
            if (appender instanceof FileAppender<?> file) {
                files.add(file);
            } else if (appender instanceof AsyncAppender queue) {
                files.addAll(files(queue));
            }
        });
        return files;
    }

    /// Whether messages for the console have colors: on a terminal, unless the configuration or `NO_COLOR`
    /// says no.
    public static boolean showsColors(LoggingConfig config) {
        return showsColors(config, System.getenv(), isTerminal());
    }

    /// From JDK 22 on there is a console also where there is no terminal.
    @SuppressWarnings("SystemConsoleNull") // it may be null if the JVM was started without one
    private static boolean isTerminal() {
        var console = System.console();
        return console != null && console.isTerminal();
    }

    static boolean showsColors(LoggingConfig config, Map<String, String> environment, boolean terminal) {
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

    static void apply(LoggingConfig config, LoggerContext context, boolean colors) {
        silencePlatformLog();
        new LogSetup(config, context, colors).apply();
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

    /// Whether an appender's lines have colors; empty if their layout is a configured one.
    static Optional<Boolean> colors(ConsoleAppender<?> appender) {
        return appender.getEncoder() instanceof PatternLayoutEncoder encoder
                ? Optional.of(encoder.getPattern())
                        .filter(pattern -> pattern.startsWith(LINE) || pattern.startsWith(COLORED_LINE))
                        .map(pattern -> pattern.startsWith(COLORED_LINE))
                : Optional.empty();
    }

    private Appender<ILoggingEvent> console() {
        var console = new ConsoleAppender<ILoggingEvent>();
        console.setName("console");
        console.setEncoder(encoder(colors ? COLORED_LINE : LINE));
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
        older.setMaxIndex(config.oldFiles());

        var size = new SizeBasedTriggeringPolicy<ILoggingEvent>();
        size.setMaxFileSize(new FileSize(config.maxFileSize() == 0 ? Long.MAX_VALUE : config.maxFileSize()));
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
        var encoder = new LogEncoders.Text(line.equals(COLORED_LINE));
        encoder.setPattern(line + "%ex{" + depth + "}");
        return started(encoder);
    }

    private <T extends ContextAware & LifeCycle> T started(T part) {
        part.setContext(context);
        part.start();
        return part;
    }

    /// How log events become bytes: as lines of text, or of JSON.
    public static final class LogEncoders {
        private LogEncoders() {}

        /// Lines of the audit log are JSON already, whatever format the log has.
        private static Optional<byte[]> audited(ILoggingEvent event) {
            return event.getLoggerName().equals(AUDIT)
                    ? Optional.of((event.getFormattedMessage() + "\n").getBytes(StandardCharsets.UTF_8))
                    : Optional.empty();
        }

        /// Whether a character may begin a new line, or be interpreted by a terminal.
        public static boolean isControl(char c) {
            return c < ' ' || (c >= 0x7f && c < 0xa0) || c == '\u2028' || c == '\u2029';
        }

        public static String escaped(char c) {
            return String.format("\\u%04x", (int) c);
        }

        /// One JSON object per event and line: `time`, `level`, `logger`, `thread`, `message`, what the
        /// event has as key and value pairs, the MDC, and `exception`. Thread-safe.
        static final class Json extends EncoderBase<ILoggingEvent> {
            private static final JsonMapper JSON = JsonMapper.builder().build();
            private static final byte[] NOTHING = {};

            private final ThrowableProxyConverter traces = new ThrowableProxyConverter();

            /// @param depth of stack traces, as the pattern `%ex` takes it
            Json(String depth) {
                traces.setOptionList(List.of(depth));
            }

            @Override
            public void start() {
                traces.setContext(getContext());
                traces.start();
                super.start();
            }

            @Override
            public byte[] headerBytes() {
                return NOTHING;
            }

            @Override
            public byte[] encode(ILoggingEvent event) {
                return audited(event).orElseGet(() -> encoded(event));
            }

            private byte[] encoded(ILoggingEvent event) {
                var line = new LinkedHashMap<String, Object>();
                line.put("time", Instant.ofEpochMilli(event.getTimeStamp()).toString());
                line.put("level", event.getLevel().toString());
                line.put("logger", event.getLoggerName());
                line.put("thread", event.getThreadName());
                line.put("message", String.valueOf(event.getFormattedMessage()));
                event.getMDCPropertyMap().forEach(line::putIfAbsent);
                if (event.getKeyValuePairs() != null) {
                    event.getKeyValuePairs().forEach(pair -> line.putIfAbsent(pair.key, pair.value));
                }
                if (event.getThrowableProxy() != null) {
                    line.put("exception", traces.convert(event));
                }
                return (JSON.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public byte[] footerBytes() {
                return NOTHING;
            }
        }

        /// Text of which only the first line of each event begins without a space: names, keys and messages
        /// of exceptions come from clients and from the database, and line breaks in them shall not make a
        /// line that looks like another event. Other control characters are escaped, since terminals
        /// interpret them; tabs and colors are not.
        static final class Text extends PatternLayoutEncoder {
            private static final String INDENT = "    ";

            /// What is to be changed in a text: a line break before a line that is not indented, and
            /// control characters.
            private static final Pattern UNSAFE = Pattern.compile("\r?\n(?=[^ \t\r\n])|"
                    + "\u001b\\[(?:[01];)?(?:0|3\\d)m|" + "(?!\t|\r?\n)[\\p{Cntrl}\u0080-\u009f\u2028\u2029]");

            private static final String ESCAPE = "\u001b";

            private final boolean colors;

            /// @param colors whether they are kept
            Text(boolean colors) {
                this.colors = colors;
            }

            @Override
            public byte[] encode(ILoggingEvent event) {
                return audited(event)
                        .orElseGet(() -> contained(getLayout().doLayout(event)).getBytes(StandardCharsets.UTF_8));
            }

            private String contained(String text) {
                return isPlainLine(text)
                        ? text
                        : UNSAFE.matcher(text)
                                .replaceAll(found -> Matcher.quoteReplacement(replacement(found.group())));
            }

            private static boolean isPlainLine(String text) {
                int end = text.endsWith(System.lineSeparator())
                        ? text.length() - System.lineSeparator().length()
                        : text.length();
                for (int i = 0; i < end; i++) {
                    if (isControl(text.charAt(i))) {
                        return false;
                    }
                }
                return true;
            }

            private String replacement(String found) {
                if (found.endsWith("\n")) {
                    return found + INDENT;
                }
                return found.length() > 1
                        ? colors ? found : found.replace(ESCAPE, escaped(ESCAPE.charAt(0)))
                        : escaped(found.charAt(0));
            }
        }
    }
}
