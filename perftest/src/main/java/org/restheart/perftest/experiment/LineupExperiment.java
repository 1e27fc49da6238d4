package org.restheart.perftest.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
                + "restify, the driver, and any other gateway named.")
public final class LineupExperiment extends Experiment {
    private static final String GATEWAY = "gateway";

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
            names = "--other-gateway",
            paramLabel = "NAME=JAR",
            description = "A jar that understands the same configuration, such as another release; repeatable.")
    Map<String, Path> others = new LinkedHashMap<>();

    public LineupExperiment() {
        run.repetitions = 2;
        run.firstWarmUp = 6;
    }

    @Override
    Findings measure(Lab lab) throws Exception {
        var mongo = lab.mongo();
        var data = lab.keep(new Dataset(mongo));
        var baselines = List.of(
                lab.nullServer("bare Undertow", run.clientThreads),
                lab.peer("bare Node.js http", "node-http.js", mongo));
        var servers = servers(lab, mongo);
        var inserting = new ArrayList<Subject>(servers);
        inserting.add(lab.driver(mongo));
        var pinging = new ArrayList<Subject>(baselines);
        pinging.addAll(servers);
        verify(lab, servers, mongo, data);
        var journal =
                run.journal(run.repetitions * clients.size() * (pinging.size() + batches.size() * inserting.size()));
        for (var repetition = 1; repetition <= run.repetitions; repetition++) {
            for (var level : clients) {
                for (var subject : pinging) {
                    var ping = new Operation.Ping(new Namespace(Dataset.DATABASE, "none"));
                    journal.measure(subject, ping, level, repetition, run.window());
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
                Map.of("MongoDB", mongo.description(), "text per document", textBytes + " bytes", "peers", peers()),
                journal,
                List.of(
                        "The peers check no credentials and keep no ETags or metrics; the gateway does.",
                        "Processing above the baseline is the difference in CPU time per ping: gateway less bare Undertow, "
                                + "fastify and restify less bare Node.js."));
    }

    private List<HttpSubject> servers(Lab lab, Mongo mongo) throws IOException, InterruptedException {
        var servers = new ArrayList<HttpSubject>();
        servers.add(lab.gateway(GATEWAY, mongo, ""));
        for (var other : others.entrySet()) {
            servers.add(lab.gateway(other.getKey(), other.getValue(), mongo, ""));
        }
        servers.add(lab.peer("fastify", "fastify.js", mongo));
        servers.add(lab.peer("restify", "restify.js", mongo));
        return servers;
    }

    private void verify(Lab lab, List<HttpSubject> servers, Mongo mongo, Dataset data)
            throws IOException, InterruptedException {
        for (var server : servers) {
            var into = data.fresh();
            lab.verify(server, mongo, new Operation.Ping(into));
            for (var batch : batches) {
                lab.verify(server, mongo, new Operation.Insert(into, batch, textBytes));
            }
        }
    }

    private static String peers() throws IOException {
        return "Node.js " + Peers.nodeVersion() + ", servers of perftest/peers, versions in its package.json";
    }
}
