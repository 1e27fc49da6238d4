package org.restheart.perftest.experiment;

import java.util.List;
import java.util.Map;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `queries`: the second published test, 100,000 queries with limit 5 and skip 25 by 50 to 500 threads.
@Command(
        name = "queries",
        description =
                "Published test 2: so many queries with limit 5 and skip 25 (published: 100,000 at 50–500 threads).",
        footer = "Takes five minutes.")
public final class QueriesExperiment extends Experiment {
    @Option(names = "--queries", description = "Per measurement; default ${DEFAULT-VALUE}.")
    long queries = 100_000;

    @Mixin
    SideBySide.ClientOptions clients = new SideBySide.ClientOptions(List.of(50, 200, 500), List.of(8, 32));

    @Mixin
    Dataset.DocumentOptions documents = new Dataset.DocumentOptions(100_000, 150);

    @Override
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo();
        var data = bed.keep(new Dataset(mongo));
        var page = new Operation.Page(data.loaded(documents), 25, 5);
        var gateway = bed.gateway("gateway", mongo, "");
        bed.verify(gateway, mongo, page);
        var sideBySide = SideBySide.of(run, run.window(queries), clients, 1, 1);
        sideBySide.compare(() -> page, List.of(gateway), bed.driver(mongo));
        return Findings.besideDriver(
                "queries",
                "How fast are " + queries + " queries with limit 5 and skip 25 answered? (Published test 2: 100,000, "
                        + "at 50 to 500 threads.)",
                Map.of("documents", documents.description()),
                sideBySide.journal());
    }
}
