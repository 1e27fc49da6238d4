package org.restheart.perftest.experiment;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `inserts`: the first published test, a million single inserts by 200 threads.
@Command(
        name = "inserts",
        description = "Published test 1: so many single-document inserts with 200 threads (published: 1,000,000).",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class InsertsExperiment implements Callable<Integer> {
    @Mixin
    RunOptions run = new RunOptions();

    @Mixin
    TargetOptions target = new TargetOptions();

    @Option(names = "--inserts", description = "Per measurement; default ${DEFAULT-VALUE}.")
    long inserts = 100_000;

    @Option(names = "--clients", split = ",", description = "Default ${DEFAULT-VALUE}.")
    List<Integer> clients = List.of(200);

    @Option(
            names = "--driver-sweep",
            split = ",",
            description = "Thread counts among which the driver's best is sought; default ${DEFAULT-VALUE}.")
    List<Integer> sweep = List.of(32, 64, 128);

    @Option(names = "--text-bytes", description = "Of each document's text; default ${DEFAULT-VALUE}.")
    int textBytes = 150;

    @Override
    public Integer call() throws Exception {
        var publication = new Publication(run, target);
        try (var lab = new Lab(run, target)) {
            var mongo = lab.mongo();
            var data = lab.keep(new Dataset(mongo));
            var gateway = lab.gateway("gateway", mongo, "");
            var driver = lab.driver(mongo);
            var journal = new Journal(SideBySide.measurements(1, run.repetitions, clients, sweep), System.out);
            lab.verify(gateway, mongo, new Operation.Insert(data.fresh(), 1, textBytes));
            new SideBySide(journal, run.repetitions, run.window(inserts), clients, sweep)
                    .compare(() -> new Operation.Insert(data.fresh(), 1, textBytes), List.of(gateway), driver);
            return publication.publish(
                    "inserts",
                    "How fast are " + inserts
                            + " documents inserted, one per request? (Published test 1: a million with "
                            + "200 threads.)",
                    "clients",
                    "driver",
                    Map.of("MongoDB", mongo.description(), "text per document", textBytes + " bytes"),
                    journal);
        }
    }
}
