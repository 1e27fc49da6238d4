package org.restheart.perftest.experiment;

import static java.util.Locale.ROOT;

import java.util.List;
import java.util.Map;
import org.restheart.perftest.load.Pace;
import org.restheart.perftest.report.Row;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `ceiling`: what the harness itself can do, against a server that does nothing.
@Command(
        name = "ceiling",
        description = "The harness's own limit: its load client against a bare server that answers from memory.",
        footer = "Takes four minutes.")
public final class CeilingExperiment extends Experiment {
    private static final Namespace ANY = new Namespace("perftest", "ceiling");
    private static final int OPEN_CONNECTIONS = 128;

    @Option(names = "--levels", split = ",", description = "Connections; default ${DEFAULT-VALUE}.")
    List<Integer> levels = List.of(1, 128);

    @Option(
            names = "--rates",
            split = ",",
            description = "Requests per second of the open loops, over 128 connections; default ${DEFAULT-VALUE}.")
    List<Integer> rates = List.of(5_000, 20_000, 50_000);

    public CeilingExperiment() {
        run.repetitions = 2;
    }

    @Override
    Findings measure(TestBed bed) throws Exception {
        var one = bed.nullServer("null server, 1 client thread", 1);
        var subjects = List.of(one, bed.nullServer("null server, 2 client threads", 2));
        var operations = List.of(new Operation.FindById(ANY, 100_000), new Operation.Insert(ANY, 1, 150));
        var journal =
                run.journal(run.repetitions * (subjects.size() * operations.size() * levels.size() + rates.size()));
        for (var repetition = 1; repetition <= run.repetitions; repetition++) {
            for (var operation : operations) {
                for (var level : levels) {
                    for (var subject : subjects) {
                        journal.measure(subject, operation, level, repetition, run.window());
                    }
                }
            }
            for (var rate : rates) {
                var measured = one.measure(operations.getFirst(), OPEN_CONNECTIONS, new Pace.Open(rate), run.window());
                journal.add(new Row(
                        String.format(ROOT, "open loop, %,d/s", rate),
                        one.name(),
                        OPEN_CONNECTIONS,
                        repetition,
                        measured));
            }
        }
        return new Findings(
                "ceiling",
                "How many requests per second can the load client cause and measure, and what do they cost it? The "
                        + "server answers 411 bytes from memory, on one I/O thread.",
                "connections",
                one.name(),
                Map.of(
                        RunOptions.LOAD_CLIENT,
                        "HTTP/1.1 keep-alive, 1 or 2 threads as named; closed loop, and open loop where a rate is named"),
                journal,
                List.of(
                        "A thread of the client that ran all the time is what this experiment is after; elsewhere it is a "
                                + "disturbance."));
    }
}
