package org.restheart.perftest.experiment;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Window;

/// Measures subjects and the driver in turn: A B A B, so that whatever drifts on the machine drifts for all of them.
///
/// @param repetitions rounds over all subjects and levels
/// @param levels numbers of clients at which all are measured
/// @param sweep thread counts among which the driver's best is sought besides
record SideBySide(Journal journal, int repetitions, Window window, List<Integer> levels, List<Integer> sweep) {

    /// How many measurements [#compare] takes, for the progress that is shown.
    static int measurements(int subjects, int repetitions, List<Integer> levels, List<Integer> sweep) {
        return sweep.size() + repetitions * (levels.size() * (subjects + 1) + (sweep.isEmpty() ? 0 : 1));
    }

    /// The driver's best is sought with one measurement per thread count, then repeated in turn with the others.
    ///
    /// @param operation asked anew for each measurement, so that each may have a collection of its own
    void compare(Supplier<Operation> operation, List<? extends Subject> subjects, Subject driver) throws IOException {
        var best = 0;
        var bestRate = 0.0;
        for (var threads : sweep) {
            var rate = measure(driver, operation, threads, 1);
            if (rate > bestRate) {
                best = threads;
                bestRate = rate;
            }
        }
        for (var repetition = 1; repetition <= repetitions; repetition++) {
            for (var level : levels) {
                for (var subject : subjects) {
                    measure(subject, operation, level, repetition);
                }
                measure(driver, operation, level, repetition);
            }
            if (best > 0) {
                measure(driver, operation, best, repetition + 1);
            }
        }
    }

    private double measure(Subject subject, Supplier<Operation> operation, int level, int repetition)
            throws IOException {
        return journal.measure(subject, operation.get(), level, repetition, window)
                .rate();
    }
}
