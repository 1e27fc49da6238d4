package org.restheart.perftest.experiment;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `queries`: the second published test, 100,000 queries with limit 5 and skip 25 by 50 to 500 threads.
@Command(
        name = "queries",
        description =
                "Published test 2: so many queries with limit 5 and skip 25 (published: 100,000 at 50–500 threads).",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class QueriesExperiment implements Callable<Integer> {
    @Mixin
    RunOptions run = new RunOptions();

    @Mixin
    TargetOptions target = new TargetOptions();

    @Option(names = "--queries", description = "Per measurement; default ${DEFAULT-VALUE}.")
    long queries = 20_000;

    @Option(names = "--clients", split = ",", description = "Default ${DEFAULT-VALUE}.")
    List<Integer> clients = List.of(50, 100, 200, 300, 400, 500);

    @Option(
            names = "--driver-sweep",
            split = ",",
            description = "Thread counts among which the driver's best is sought; default ${DEFAULT-VALUE}.")
    List<Integer> sweep = List.of(4, 8, 16, 32);

    @Option(names = "--documents", description = "In the collection; default ${DEFAULT-VALUE}.")
    int documents = 100_000;

    @Option(names = "--text-bytes", description = "Of each document's text; default ${DEFAULT-VALUE}.")
    int textBytes = 150;

    @Override
    public Integer call() throws Exception {
        var publication = new Publication(run, target);
        try (var lab = new Lab(run, target)) {
            var mongo = lab.mongo();
            var data = lab.keep(new Dataset(mongo));
            var page = new Operation.Page(data.loaded(documents, textBytes), 25, 5);
            var gateway = lab.gateway("gateway", mongo, "");
            var driver = lab.driver(mongo);
            var journal = new Journal(SideBySide.measurements(1, run.repetitions, clients, sweep), System.out);
            lab.verify(gateway, mongo, page);
            new SideBySide(journal, run.repetitions, run.window(queries), clients, sweep)
                    .compare(() -> page, List.of(gateway), driver);
            return publication.publish(
                    "queries",
                    "How fast are " + queries
                            + " queries with limit 5 and skip 25 answered? (Published test 2: 100,000, "
                            + "at 50 to 500 threads.)",
                    "clients",
                    "driver",
                    Map.of(
                            "MongoDB",
                            mongo.description(),
                            "documents",
                            documents + " with a text of " + textBytes + " bytes"),
                    journal);
        }
    }
}
