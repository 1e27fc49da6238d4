package org.restheart.perftest.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `coalescing`: inserts, reads by id and the published page query through the gateway, beside the driver at the same
/// concurrency, at the driver's best, alone, and with coalescing switched off.
@Command(
        name = "coalescing",
        description = "Inserts, reads by id and a page query: gateway and driver at the same concurrency, at the "
                + "driver's best, one client alone, and without coalescing.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class CoalescingExperiment implements Callable<Integer> {
    @Mixin
    RunOptions run = new RunOptions();

    @Mixin
    TargetOptions target = new TargetOptions();

    @Mixin
    WorkOptions work = new WorkOptions();

    @Option(names = "--clients", split = ",", description = "Default ${DEFAULT-VALUE}.")
    List<Integer> clients = List.of(128, 1);

    @Option(
            names = "--driver-sweep",
            split = ",",
            description = "Thread counts among which the driver's best is sought; default ${DEFAULT-VALUE}.")
    List<Integer> sweep = List.of(2, 4, 8, 16, 32, 64);

    @Option(
            names = "--without",
            description =
                    "Configuration override that switches coalescing off, for one more subject; empty leaves that "
                            + "subject out. Default: ${DEFAULT-VALUE}.")
    String without = "/mongo/coalescing/inserts -> false; /mongo/coalescing/reads -> false; "
            + "/mongo/coalescing/queries -> false";

    @Override
    public Integer call() throws Exception {
        var publication = new Publication(run, target);
        try (var lab = new Lab(run, target)) {
            var mongo = lab.mongo();
            var data = lab.keep(new Dataset(mongo));
            var gateways = new ArrayList<HttpSubject>();
            gateways.add(lab.gateway("gateway", mongo, ""));
            if (!without.isBlank()) {
                gateways.add(lab.gateway("gateway, not coalescing", mongo, without));
            }
            var driver = lab.driver(mongo);
            var journal = new Journal(expected(gateways.size()), System.out);
            var sideBySide = new SideBySide(journal, run.repetitions, run.window(), clients, sweep);
            for (var kind : work.kinds) {
                for (var gateway : gateways) {
                    lab.verify(gateway, mongo, work.operation(kind, data).get());
                }
                sideBySide.compare(work.operation(kind, data), gateways, driver);
            }
            return publication.publish(
                    "coalescing",
                    "How many operations per second does the gateway do, over HTTP with authentication, ETags and metrics, "
                            + "beside the plain Java driver?",
                    "clients",
                    "driver",
                    Map.of("MongoDB", mongo.description(), "documents", work.description()),
                    journal);
        }
    }

    private int expected(int gateways) {
        return work.kinds.size() * SideBySide.measurements(gateways, run.repetitions, clients, sweep);
    }
}
