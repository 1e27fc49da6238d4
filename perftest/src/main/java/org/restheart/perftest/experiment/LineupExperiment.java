package org.restheart.perftest.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.restheart.perftest.deploy.Incumbent;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.deploy.Peers;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `lineup`: requests without data, single inserts and inserts in batches, by several REST servers.
@Command(
        name = "lineup",
        description = "REST requests, single inserts and batches: this gateway, bare Undertow, bare Node.js, fastify, "
                + "restify, the incumbent's releases as far as Maven Central has them, the driver, and any other "
                + "gateway named.",
        footer = "Takes eleven minutes, and the first time one more to install the other servers.")
public final class LineupExperiment extends Experiment {
    private static final String GATEWAY = "gateway";
    private static final Operation PING = new Operation.Ping(new Namespace(Dataset.DATABASE, "none"));

    @Option(names = "--clients", split = ",", description = "Default ${DEFAULT-VALUE}.")
    List<Integer> clients = List.of(128);

    @Option(
            names = "--batches",
            split = ",",
            description = "Documents per insert request; published: 1 to 50; default ${DEFAULT-VALUE}.")
    List<Integer> batches = List.of(1, 10, 50);

    @Option(names = "--text-bytes", description = "Of each document's text; default ${DEFAULT-VALUE}.")
    int textBytes = 150;

    @Option(
            names = "--peers",
            split = ",",
            description = "Of other servers, some of ${COMPLETION-CANDIDATES}; default: all.")
    List<Peer> peers = List.of(Peer.values());

    @Option(
            names = "--other-gateway",
            paramLabel = "NAME=JAR",
            description = "A jar that understands the same configuration, such as another release; repeatable.")
    Map<String, Path> others = new LinkedHashMap<>();

    /// What the gateway is compared with besides the driver.
    enum Peer {
        undertow,
        node,
        fastify,
        restify,
        /// The incumbent's newest release, which only answers pings.
        incumbent,
        /// Its newest complete one, which inserts.
        incumbent3
    }

    public LineupExperiment() {
        run.repetitions = 2;
        run.firstWarmUp = 10;
    }

    @Override
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo();
        var data = bed.keep(new Dataset(mongo));
        var pinging = new ArrayList<Subject>();
        if (peers.contains(Peer.undertow)) {
            pinging.add(bed.nullServer("bare Undertow", run.clientThreads));
        }
        if (peers.contains(Peer.node)) {
            pinging.add(bed.peer("bare Node.js http", "node-http.js", mongo));
        }
        var servers = servers(bed, mongo);
        verify(bed, servers, mongo, data);
        pinging.addAll(servers);
        if (peers.contains(Peer.incumbent)) {
            var incumbent = bed.incumbent(Incumbent.Release.WITHOUT_DATA, mongo);
            bed.verify(incumbent, mongo, PING);
            pinging.add(incumbent);
        }
        var inserting = new ArrayList<Subject>(servers);
        if (peers.contains(Peer.incumbent3)) {
            var incumbent = bed.incumbent(Incumbent.Release.WITH_DATA, mongo);
            verifyInserts(bed, incumbent, mongo, data);
            inserting.add(incumbent);
        }
        inserting.add(bed.driver(mongo));
        var journal = run.journal(
                        run.repetitions * clients.size() * (pinging.size() + batches.size() * inserting.size()))
                .auditedBy(data.inserted());
        for (var repetition = 1; repetition <= run.repetitions; repetition++) {
            for (var level : clients) {
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
                "How does the gateway compare with other REST servers, and with what a bare server can do? Batches count "
                        + "as one operation.",
                "clients",
                GATEWAY,
                Map.of("text per document", textBytes + " bytes", "peers", versions()),
                journal,
                List.of(
                        "The Node.js peers check no credentials and keep no ETags or metrics; the gateway does. The "
                                + "incumbent's releases check none by default.",
                        "All insert equal documents and answer when a majority has them. One request has one document "
                                + "or an array of them, the same bytes for every server; the driver is given them one by one.",
                        "Processing above the baseline is the difference in CPU time per ping: gateway less bare Undertow, "
                                + "fastify and restify less bare Node.js."));
    }

    private List<HttpSubject> servers(TestBed bed, Mongo mongo) throws IOException, InterruptedException {
        var servers = new ArrayList<HttpSubject>();
        servers.add(bed.gateway(GATEWAY, mongo, ""));
        for (var other : others.entrySet()) {
            servers.add(bed.gateway(other.getKey(), other.getValue(), mongo, ""));
        }
        if (peers.contains(Peer.fastify)) {
            servers.add(bed.peer("fastify", "fastify.js", mongo));
        }
        if (peers.contains(Peer.restify)) {
            servers.add(bed.peer("restify", "restify.js", mongo));
        }
        return servers;
    }

    private void verify(TestBed bed, List<HttpSubject> servers, Mongo mongo, Dataset data)
            throws IOException, InterruptedException {
        for (var server : servers) {
            bed.verify(server, mongo, PING);
            verifyInserts(bed, server, mongo, data);
        }
    }

    private void verifyInserts(TestBed bed, HttpSubject server, Mongo mongo, Dataset data)
            throws IOException, InterruptedException {
        var into = data.fresh();
        for (var batch : batches) {
            bed.verify(server, mongo, new Operation.Insert(into, batch, textBytes));
        }
    }

    private static String versions() throws InterruptedException {
        return "Node.js " + Peers.nodeVersion()
                + ", servers of perftest/peers, versions in its files; the incumbent's run on the gateway's JVM";
    }
}
