package org.restheart.perftest.experiment;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Window;
import picocli.CommandLine.Option;

/// Measures subjects and the driver in turn: A B A B, so that whatever drifts on the machine drifts for all of them.
///
/// @param repetitions rounds over all subjects and levels
record SideBySide(Journal journal, int repetitions, Window window, ClientOptions options) {

    /// For so many comparisons of so many subjects each.
    static SideBySide of(RunOptions run, ClientOptions options, int comparisons, int subjects) {
        var measurements = comparisons * options.measurements(subjects, run.repetitions);
        return new SideBySide(run.journal(measurements), run.repetitions, run.window(), options);
    }

    /// The driver's best is sought with one measurement per thread count, then repeated in turn with the others.
    ///
    /// @param operation asked anew for each measurement, so that each may have a collection of its own
    void compare(Supplier<Operation> operation, List<? extends Subject> subjects, Subject driver)
            throws IOException, InterruptedException {
        var best = 0;
        var bestRate = 0.0;
        for (var threads : options.sweep) {
            var rate = measure(driver, operation, threads, 1);
            if (rate > bestRate) {
                best = threads;
                bestRate = rate;
            }
        }
        for (var repetition = 1; repetition <= repetitions; repetition++) {
            for (var level : options.clients) {
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
            throws IOException, InterruptedException {
        return journal.measure(subject, operation.get(), level, repetition, window)
                .rate();
    }

    /// How many clients ask at once.
    static final class ClientOptions {
        @Option(names = "--clients", split = ",", description = "Default ${DEFAULT-VALUE}.")
        List<Integer> clients;

        @Option(
                names = "--driver-sweep",
                split = ",",
                description =
                        "Thread counts among which the driver's best is sought besides; default ${DEFAULT-VALUE}.")
        List<Integer> sweep;

        ClientOptions(List<Integer> clients, List<Integer> sweep) {
            this.clients = clients;
            this.sweep = sweep;
        }

        /// How many measurements [SideBySide#compare] takes.
        int measurements(int subjects, int repetitions) {
            return sweep.size() + repetitions * (clients.size() * (subjects + 1) + (sweep.isEmpty() ? 0 : 1));
        }
    }
}
