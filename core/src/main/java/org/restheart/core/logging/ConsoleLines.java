package org.restheart.core.logging;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.ConsoleAppender;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/// Writes many lines to the console at once, with the layout of the console appender. Confined to one thread.
public final class ConsoleLines {
    private static final DateTimeFormatter SHORT = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");
    private static final DateTimeFormatter DATED = DateTimeFormatter.ofPattern(LogSetup.DATE);

    private final PrintStream console = System.out;
    private final ByteArrayOutputStream waiting = new ByteArrayOutputStream(64 << 10);
    private final DateTimeFormatter format;
    private final byte[] afterTime;
    private long formattedMillis;
    private byte[] time = {};

    private ConsoleLines(boolean colors) {
        format = colors ? SHORT : DATED;
        var level = colors ? "\u001b[34mINFO \u001b[0;39m" : "INFO ";
        afterTime = (" [" + Thread.currentThread().getName() + "] " + level + " ").getBytes(StandardCharsets.UTF_8);
    }

    /// Present if the console is the only target of this logger and has no configured layout. Called by the writing
    /// thread, whose name the lines show.
    public static Optional<ConsoleLines> insteadOf(org.slf4j.Logger logger) {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)
                || !(logger instanceof Logger impl)
                || impl.iteratorForAppenders().hasNext()
                || !impl.isAdditive()
                || impl.getName().equals(LogSetup.AUDIT)) {
            return Optional.empty();
        }
        var appenders = context.getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders();
        var first = appenders.hasNext() ? appenders.next() : null;
        return first instanceof ConsoleAppender<?> console && !appenders.hasNext()
                ? LogSetup.colors(console).map(ConsoleLines::new)
                : Optional.empty();
    }

    /// Buffers a line until [#flush()]: the head, then the text.
    public void add(String head, String text) {
        long now = System.currentTimeMillis();
        if (now != formattedMillis) {
            formattedMillis = now;
            time = OffsetDateTime.now(ZoneId.systemDefault()).format(format).getBytes(StandardCharsets.US_ASCII);
        }
        waiting.writeBytes(time);
        waiting.writeBytes(afterTime);
        waiting.writeBytes(head.getBytes(StandardCharsets.UTF_8));
        waiting.writeBytes(text.getBytes(StandardCharsets.UTF_8));
        waiting.write('\n');
        if (waiting.size() >= 64 << 10) {
            flush();
        }
    }

    public void flush() {
        if (waiting.size() > 0) {
            console.writeBytes(waiting.toByteArray());
            console.flush();
            waiting.reset();
        }
    }
}
