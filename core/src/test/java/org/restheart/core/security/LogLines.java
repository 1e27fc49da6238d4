package org.restheart.core.security;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/// Captures the log at every level while it is open.
public final class LogLines implements AutoCloseable {
    private final Logger logger;
    private final @Nullable Level before;
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    public LogLines() {
        this("org.restheart", Level.TRACE);
    }

    private LogLines(String name, Level level) {
        logger = (Logger) LoggerFactory.getLogger(name);
        before = logger.getLevel();
        lines.start();
        logger.setLevel(level);
        logger.addAppender(lines);
    }

    /// What goes wrong within the HTTP server.
    public static LogLines errorsOfUndertow() {
        return new LogLines("io.undertow", Level.ERROR);
    }

    /// The lines so far, each with its level.
    public List<String> all() {
        return List.copyOf(lines.list).stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(lines);
        logger.setLevel(before);
    }
}
