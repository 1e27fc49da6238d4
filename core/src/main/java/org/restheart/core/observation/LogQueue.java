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
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/// Writes lines on its own thread, so that a slow console never blocks an I/O thread. When lines arrive faster than
/// they can be written some are dropped and counted. Thread-safe.
final class LogQueue implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RequestLog.class);
    private static final int CAPACITY = 8_192;

    /// Between batches, so that a busy server wakes this thread once per batch and not once per line.
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final Line END = new Line("", Map.of());

    private final BlockingQueue<Line> lines = new ArrayBlockingQueue<>(CAPACITY);
    private final LongAdder leftOut = new LongAdder();
    private final Thread writer =
            Thread.ofPlatform().name("request-log").daemon().start(this::write);

    /// @param context the MDC of the line
    record Line(String text, Map<String, String> context) {}

    void add(Line line) {
        if (!lines.offer(line)) {
            leftOut.increment();
        }
    }

    private void write() {
        var batch = new ArrayList<Line>();
        var console = ConsoleLines.insteadOf(LOG);
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
                        console.get().add(line.text());
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

    private static void write(Line line) {
        line.context.forEach(MDC::put);
        LOG.info("{}", line.text);
        MDC.clear();
    }

    private void tellWhatIsMissing() {
        long missing = leftOut.sumThenReset();
        if (missing > 0) {
            LOG.warn("{} requests were not logged: they came faster than they could be written", missing);
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
