package org.restheart.perftest.experiment;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.restheart.perftest.deploy.Peers;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `lineup`: requests without data, single inserts and inserts in batches, by several REST servers.
@Command(
        name = "lineup",
        description =
                "Pings, single inserts and batches: this gateway, bare Undertow, fastify, the driver, and any other "
                        + "gateway named.",
        footer = "Takes eight minutes, and the first time one more to install fastify.")
public final class LineupExperiment extends Experiment {
    private static final String GATEWAY = "gateway";
    private static final Operation PING = new Operation.Ping(new Namespace(Dataset.DATABASE, "none"));

    @Mixin
    SideBySide.ClientOptions clients = new SideBySide.ClientOptions(List.of(128), List.of());

    @Option(
            names = "--batches",
            split = ",",
            description = "Documents per insert request; published: 1 to 50; default ${DEFAULT-VALUE}.")
    List<Integer> batches = List.of(1, 10, 50);

    @Option(names = "--text-bytes", description = "Of each document's text; default ${DEFAULT-VALUE}.")
    int textBytes = 150;

    @Option(names = "--without-peers", description = "Leaves fastify out, which needs Node.js.")
    boolean withoutPeers;

    @Option(
            names = "--other-gateway",
            paramLabel = "NAME=JAR",
            description = "A jar that understands the same configuration, such as another release; repeatable.")
    Map<String, Path> others = new LinkedHashMap<>();

    public LineupExperiment() {
        run.repetitions = 2;
        run.firstWarmUp = 10;
    }

    @Override
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo();
        var data = bed.keep(new Dataset(mongo));
        var servers = new ArrayList<HttpSubject>();
        servers.add(bed.gateway(GATEWAY, mongo, ""));
        for (var other : others.entrySet()) {
            servers.add(bed.gateway(other.getKey(), other.getValue(), mongo, ""));
        }
        if (!withoutPeers) {
            servers.add(bed.peer("fastify", "fastify.js", mongo));
        }
        for (var server : servers) {
            bed.verify(server, mongo, PING);
            for (var batch : batches) {
                bed.verify(server, mongo, new Operation.Insert(data.fresh(), batch, textBytes));
            }
        }
        var pinging = new ArrayList<Subject>(servers);
        pinging.add(bed.nullServer("bare Undertow"));
        var inserting = new ArrayList<Subject>(servers);
        inserting.add(bed.driver(mongo));
        var journal = run.journal(
                        run.repetitions * clients.clients.size() * (pinging.size() + batches.size() * inserting.size()))
                .auditedBy(data.inserted());
        for (var repetition = 1; repetition <= run.repetitions; repetition++) {
            for (var level : clients.clients) {
                for (var subject : pinging) {
                    journal.measure(subject, PING, level, repetition, run.window());
                }
                for (var batch : batches) {
                    for (var subject : inserting) {
                        var insert = new Operation.Insert(data.fresh(), batch, textBytes);
                        journal.measure(subject, insert, level, repetition, run.window());
                    }
                }
            }
        }
        return new Findings(
                "lineup",
                "How does the gateway compare with other REST servers, and with what a bare server can do? Batches"
                        + " count as one operation.",
                "clients",
                GATEWAY,
                Map.of("text per document", textBytes + " bytes", "Node.js", Peers.nodeVersion()),
                journal,
                List.of(
                        "fastify checks no credentials and keeps no ETags or metrics; the gateway does.",
                        "All insert equal documents and answer when a majority has them. One request has one document "
                                + "or an array of them; the driver is given them one by one."));
    }
}
