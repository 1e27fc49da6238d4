package org.restheart.perftest.experiment;

import static java.util.Locale.ROOT;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.report.Row;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Window;

/// Collects measurements and shows progress. Not thread-safe.
final class Journal {
    private final Set<List<String>> warm = new HashSet<>();
    private final List<Row> rows = new ArrayList<>();
    private final long begin = System.nanoTime();
    private final int expected;
    private final long firstWarmUpMillis;
    private Audit audit = Audit.NONE;

    /// @param expected measurements in all, for the progress that is shown
    /// @param firstWarmUpMillis before the first recording of each subject at each operation; later ones are warm
    Journal(int expected, long firstWarmUpMillis) {
        this.expected = expected;
        this.firstWarmUpMillis = firstWarmUpMillis;
    }

    /// Has every measurement looked at from now on.
    Journal auditedBy(Audit audit) {
        this.audit = audit;
        return this;
    }

    /// The window for what is measured next.
    Window warmedUp(String subject, String operation, Window window) {
        return warm.add(List.of(subject, operation)) ? window.atLeastWarmedUp(firstWarmUpMillis) : window;
    }

    Measurement measure(Subject subject, Operation operation, int level, int repetition, Window window)
            throws IOException, InterruptedException {
        var measurement = subject.measure(operation, level, warmedUp(subject.name(), operation.label(), window));
        audit.check(operation, measurement);
        add(new Row(operation.label(), subject.name(), level, repetition, measurement));
        return measurement;
    }

    void add(Row row) {
        rows.add(row);
        var measurement = row.measurement();
        System.out.printf(
                ROOT,
                "[%2d/%d, %s left] %-14s %-28s %4d: %,10.0f/s  p50 %7.2f ms  p99 %7.2f ms  %s%n",
                rows.size(),
                Math.max(expected, rows.size()),
                left(),
                row.operation(),
                row.subject(),
                row.level(),
                measurement.rate(),
                measurement.latency().p50() / 1000,
                measurement.latency().p99() / 1000,
                measurement.failed() == 0 ? "" : "ERRORS " + measurement.errors());
    }

    private String left() {
        var each = (System.nanoTime() - begin) / rows.size();
        var left = Duration.ofNanos(each * Math.max(0, expected - rows.size()));
        return "%d:%02d".formatted(left.toMinutes(), left.toSecondsPart());
    }

    List<Row> rows() {
        return List.copyOf(rows);
    }

    double minutes() {
        return (System.nanoTime() - begin) / 60e9;
    }

    /// Verifies afterwards that the measured operations were done.
    @FunctionalInterface
    interface Audit {
        /// No verification.
        Audit NONE = (_, _) -> {};

        /// @throws IOException when it has not
        void check(Operation operation, Measurement measurement) throws IOException;
    }
}
