package org.restheart.perftest.experiment;

import java.util.List;
import java.util.Map;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `inserts`: the first published test, a million single inserts by 200 threads.
@Command(
        name = "inserts",
        description = "Published test 1: so many single-document inserts with 200 threads (published: 1,000,000).",
        footer = {
            "Takes four minutes. The published size takes a quarter of an hour:",
            "  perftest/run inserts --inserts 1000000 --repetitions 2"
        })
public final class InsertsExperiment extends Experiment {
    @Option(names = "--inserts", description = "Per measurement; default ${DEFAULT-VALUE}.")
    long inserts = 100_000;

    @Mixin
    SideBySide.ClientOptions clients = new SideBySide.ClientOptions(List.of(200), List.of(32, 64, 128));

    @Option(names = "--text-bytes", description = "Of each document's text; default ${DEFAULT-VALUE}.")
    int textBytes = 150;

    @Override
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo();
        var data = bed.keep(new Dataset(mongo));
        var gateway = bed.gateway("gateway", mongo, "");
        bed.verify(gateway, mongo, new Operation.Insert(data.fresh(), 1, textBytes));
        var sideBySide = SideBySide.of(run, run.window(inserts), clients, 1, 1);
        sideBySide.journal().auditedBy(data.inserted());
        sideBySide.compare(() -> new Operation.Insert(data.fresh(), 1, textBytes), List.of(gateway), bed.driver(mongo));
        return Findings.besideDriver(
                "inserts",
                "How fast are " + inserts
                        + " documents inserted, one per request? (Published test 1: a million with 200 threads.)",
                Map.of("text per document", textBytes + " bytes"),
                sideBySide.journal());
    }
}
