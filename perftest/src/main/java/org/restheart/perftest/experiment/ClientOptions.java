package org.restheart.perftest.experiment;

import java.util.List;
import picocli.CommandLine.Option;

/// How many clients ask at once.
final class ClientOptions {
    @Option(names = "--clients", split = ",", description = "Default ${DEFAULT-VALUE}.")
    List<Integer> clients;

    @Option(
            names = "--driver-sweep",
            split = ",",
            description = "Thread counts among which the driver's best is sought besides; default ${DEFAULT-VALUE}.")
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
