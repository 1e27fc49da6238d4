package org.restheart.core.security;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/// Captures the log at every level while it is open.
public final class LogLines implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger("org.restheart");
    private final Level before = logger.getLevel();
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    public LogLines() {
        lines.start();
        logger.setLevel(Level.TRACE);
        logger.addAppender(lines);
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
