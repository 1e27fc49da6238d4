package org.restheart.perftest.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `ceiling`: what the harness itself can do, against a server that does nothing.
@Command(
        name = "ceiling",
        description = "The harness's own limit: its load client against a bare server that answers from memory.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class CeilingExperiment implements Callable<Integer> {
    private static final Namespace ANY = new Namespace("perftest", "ceiling");

    @Mixin
    RunOptions run = new RunOptions();

    @Mixin
    TargetOptions target = new TargetOptions();

    @Option(names = "--levels", split = ",", description = "Connections; default ${DEFAULT-VALUE}.")
    List<Integer> levels = List.of(1, 8, 32, 128);

    @Override
    public Integer call() throws Exception {
        var publication = new Publication(run, target);
        try (var lab = new Lab(run, target)) {
            var subjects = new ArrayList<Subject>();
            subjects.add(lab.nullServer("null server, 1 client thread", 1));
            subjects.add(lab.nullServer("null server, 2 client threads", 2));
            var operations = List.of(new Operation.FindById(ANY, 100_000), new Operation.Insert(ANY, 1, 150));
            var journal =
                    new Journal(subjects.size() * operations.size() * levels.size() * run.repetitions, System.out);
            for (var operation : operations) {
                for (var level : levels) {
                    for (var repetition = 1; repetition <= run.repetitions; repetition++) {
                        for (var subject : subjects) {
                            journal.measure(subject, operation, level, repetition, run.window());
                        }
                    }
                }
            }
            return publication.publish(
                    "ceiling",
                    "How many requests per second can the load client cause and measure, and what do they cost it? "
                            + "The server answers 411 bytes from memory, on one I/O thread.",
                    "connections",
                    "null server, 1 client thread",
                    Map.of(),
                    journal);
        }
    }
}
