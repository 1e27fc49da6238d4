package org.restheart.perftest.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.restheart.perftest.workload.Operation.Ycsb;
import org.restheart.perftest.workload.Operation.Ycsb.YcsbWorkload;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `ycsb`: the operations of YCSB's core workloads, through the gateway and directly.
@Command(
        name = "ycsb",
        description = "The operations of YCSB's core workloads A, B, C, E and F in their proportions, keys by its "
                + "Zipfian distribution: through the gateway, and directly by the Java driver.",
        footer = "Takes nine minutes.")
public final class YcsbExperiment extends Experiment {
    @Option(names = "--workloads", split = ",", description = "Some of ${COMPLETION-CANDIDATES}; default: all.")
    List<YcsbWorkload> workloads = List.of(YcsbWorkload.values());

    @Mixin
    SideBySide.ClientOptions clients = new SideBySide.ClientOptions(List.of(64), List.of());

    @Option(names = "--records", description = "In the collection; default ${DEFAULT-VALUE}.")
    int records = 10_000;

    public YcsbExperiment() {
        run.repetitions = 2;
    }

    @Override
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo();
        var data = bed.keep(new Dataset(mongo));
        var gateway = bed.gateway("gateway", mongo, "");
        var driver = bed.driver(mongo);
        var sideBySide = SideBySide.of(run, clients, workloads.size(), 1);
        for (var workload : workloads) {
            var subjects = new ArrayList<>(List.of(gateway));
            if (workload.scans() > 0) {
                subjects.add(gateway.with("gateway, BSON", gateway.dialect().accepting("application/bson")));
            }
            sideBySide.compare(() -> new Ycsb(data.ycsb(records), workload, records), subjects, driver);
        }
        return Findings.besideDriver(
                        "ycsb",
                        "How do the operations of YCSB's core workloads run through the gateway, beside the Java"
                                + " driver?",
                        Map.of("records", records + ", ten fields of 100 bytes"),
                        sideBySide.journal())
                .with(List.of("Of F, a read and an update of one record are two operations."));
    }
}
