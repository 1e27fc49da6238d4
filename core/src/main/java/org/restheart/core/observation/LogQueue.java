package org.restheart.core.observation;

import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.restheart.core.logging.ConsoleLines;
import org.slf4j.Logger;
import org.slf4j.MDC;

/// Writes lines on its own thread, so that a slow console never blocks an I/O thread. When lines arrive faster than
/// they can be written some are dropped and counted. Thread-safe.
final class LogQueue implements AutoCloseable {
    private static final int CAPACITY = 8_192;

    /// Between batches, so that a busy server wakes this thread once per batch and not once per line.
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final Line END = new Line("", "", Map.of(), Map.of());

    private final BlockingQueue<Line> lines = new ArrayBlockingQueue<>(CAPACITY);
    private final LongAdder leftOut = new LongAdder();
    private final Logger log;
    private final Thread writer;

    /// @param log to which the lines go
    /// @param name of the thread
    LogQueue(Logger log, String name) {
        this.log = log;
        this.writer = Thread.ofPlatform().name(name).daemon().start(this::write);
    }

    /// @param head what stands before the text. Apart from it, since with a character beyond Latin-1 the whole text
    ///     would take twice the memory, and more time to encode
    /// @param context the MDC of the line
    /// @param fields of a line of JSON, beside its text
    record Line(String head, String text, Map<String, String> context, Map<String, Object> fields) {}

    void add(Line line) {
        if (!lines.offer(line)) {
            leftOut.increment();
        }
    }

    private void write() {
        var batch = new ArrayList<Line>();
        var console = ConsoleLines.insteadOf(log);
        try {
            while (true) {
                batch.add(lines.take());
                lines.drainTo(batch);
                for (var line : batch) {
                    if (line.equals(END)) {
                        console.ifPresent(ConsoleLines::flush);
                        return;
                    }
                    if (console.isPresent()) {
                        console.get().add(line.head(), line.text());
                    } else {
                        write(line);
                    }
                }
                console.ifPresent(ConsoleLines::flush);
                batch.clear();
                tellWhatIsMissing();
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(Line line) {
        line.context.forEach(MDC::put);
        var event = log.atInfo();
        for (var field : line.fields.entrySet()) {
            event = event.addKeyValue(field.getKey(), field.getValue());
        }
        event.log("{}{}", line.head, line.text);
        MDC.clear();
    }

    private void tellWhatIsMissing() {
        long missing = leftOut.sumThenReset();
        if (missing > 0) {
            log.warn("{} requests were not logged: they came faster than they could be written", missing);
        }
    }

    /// Returns when everything is written.
    @Override
    public void close() {
        try {
            lines.put(END);
            writer.join();
        } catch (InterruptedException _) {
            writer.interrupt();
            Thread.currentThread().interrupt();
        }
    }
}
