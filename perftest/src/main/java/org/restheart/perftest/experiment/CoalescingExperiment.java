package org.restheart.perftest.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `coalescing`: the everyday operations through the gateway, beside the driver at the same concurrency, at the
/// driver's best, alone, and with coalescing switched off.
@Command(
        name = "coalescing",
        description = "Inserts, reads by id and a page query: gateway and driver at the same concurrency, at the "
                + "driver's best, one client alone, and without coalescing.",
        footer = {
            "Takes twelve minutes. The published tests 1 (inserts) and 2 (page of 5 at skip 25):",
            "  perftest/run coalescing --operations insert --clients 200 --seconds 40 --without ''",
            "  perftest/run coalescing --operations page --clients 50,200,500 --without ''",
            "Money between accounts by _transactions, beside the driver's withTransaction:",
            "  perftest/run coalescing --operations transfer --clients 64 --without ''"
        })
public final class CoalescingExperiment extends Experiment {
    @Mixin
    WorkOptions work = new WorkOptions();

    @Mixin
    SideBySide.ClientOptions clients = new SideBySide.ClientOptions(List.of(128, 1), List.of(8, 32));

    @Option(
            names = "--without",
            description =
                    "Configuration override that switches coalescing off, for one more subject; empty leaves that "
                            + "subject out. Default: ${DEFAULT-VALUE}.")
    String without = "/mongo/coalescing/inserts -> false; /mongo/coalescing/updates -> false; "
            + "/mongo/coalescing/reads -> false; /mongo/coalescing/queries -> false";

    @Override
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo();
        var data = bed.keep(new Dataset(mongo));
        var gateways = new ArrayList<HttpSubject>();
        gateways.add(bed.gateway("gateway", mongo, ""));
        if (!without.isBlank()) {
            gateways.add(bed.gateway("gateway, not coalescing", mongo, without));
        }
        var driver = bed.driver(mongo);
        var sideBySide = SideBySide.of(run, clients, work.kinds.size(), gateways.size());
        sideBySide.journal().auditedBy(data.inserted());
        for (var kind : work.kinds) {
            for (var gateway : gateways) {
                bed.verify(gateway, mongo, work.operation(kind, data).get());
            }
            sideBySide.compare(work.operation(kind, data), gateways, driver);
        }
        return Findings.besideDriver(
                "coalescing",
                "How many operations per second does the gateway do, over HTTP with authentication, ETags and metrics, "
                        + "beside the plain Java driver?",
                Map.of("documents", work.documents.description(), "not coalescing", without),
                sideBySide.journal());
    }
}
