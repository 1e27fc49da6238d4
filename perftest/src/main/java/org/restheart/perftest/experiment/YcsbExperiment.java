package org.restheart.perftest.experiment;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.restheart.perftest.deploy.Gateway;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.report.Row;
import org.restheart.perftest.worker.Task;
import org.restheart.perftest.worker.Worker;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.ycsb.Binding;
import org.restheart.perftest.ycsb.YcsbLoad;
import org.restheart.perftest.ycsb.YcsbTable;
import org.restheart.perftest.ycsb.YcsbWorkload;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `ycsb`: the original core workloads A to F, through the gateway and directly.
@Command(
        name = "ycsb",
        description = "YCSB's core workloads A–F: through the gateway over HTTP, and directly over the Java driver.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class YcsbExperiment implements Callable<Integer> {
    private static final Namespace TABLE = new Namespace(Dataset.DATABASE, "usertable");

    @Mixin
    RunOptions run = new RunOptions();

    @Mixin
    TargetOptions target = new TargetOptions();

    @Option(names = "--workloads", split = ",", description = "Some of ${COMPLETION-CANDIDATES}; default: all.")
    List<YcsbWorkload> workloads = List.of(YcsbWorkload.values());

    @Option(names = "--threads", split = ",", description = "Published: 1 to 256; default ${DEFAULT-VALUE}.")
    List<Integer> threads = List.of(1, 16, 64);

    @Option(
            names = "--connections",
            split = ",",
            description = "That the threads share; published: 1 to 64; default ${DEFAULT-VALUE}.")
    List<Integer> connections = List.of(64);

    @Option(names = "--records", description = "In the table; default ${DEFAULT-VALUE}.")
    long records = 50_000;

    public YcsbExperiment() {
        run.repetitions = 1;
    }

    @Override
    public Integer call() throws Exception {
        var publication = new Publication(run, target);
        try (var lab = new Lab(run, target)) {
            var mongo = lab.mongo();
            var gateway = lab.keep(lab.startGateway("gateway", mongo));
            var viaGateway = lab.worker();
            var direct = lab.worker();
            var journal = new Journal(
                    2 * workloads.size() * threads.size() * connections.size() * run.repetitions, System.out);
            for (var repetition = 1; repetition <= run.repetitions; repetition++) {
                for (var workload : workloads) {
                    YcsbTable.load(mongo.connectionString(), TABLE, records);
                    for (var pool : connections) {
                        for (var level : threads) {
                            journal.add(
                                    row(workload, http(gateway, pool), viaGateway, mongo, gateway, level, repetition));
                            journal.add(row(workload, driver(mongo, pool), direct, mongo, gateway, level, repetition));
                        }
                    }
                }
            }
            return publication.publish(
                    "ycsb",
                    "How do YCSB's core workloads run through the gateway, beside the Java driver?",
                    "threads",
                    "driver",
                    Map.of("MongoDB", mongo.description(), "records", records + ", ten fields of 100 bytes"),
                    journal);
        }
    }

    private Row row(
            YcsbWorkload workload,
            Binding binding,
            Worker worker,
            Mongo mongo,
            Gateway gateway,
            int level,
            int repetition)
            throws IOException {
        var load = new YcsbLoad(workload, binding, TABLE, records, level, run.window());
        var measured = worker.run(new Task.Ycsb(load, Map.of("mongod", mongo.pid(), "gateway", gateway.pid())));
        if (workload.inserts()) {
            YcsbTable.load(mongo.connectionString(), TABLE, records);
        }
        var name = binding instanceof Binding.Http ? "gateway" : "driver";
        var operation =
                "workload " + workload + (connections.size() > 1 ? ", " + binding.connections() + " connections" : "");
        return new Row(operation, name, level, repetition, measured);
    }

    private Binding http(Gateway gateway, int connections) {
        return new Binding.Http("127.0.0.1", gateway.port(), target.credentials, connections);
    }

    private static Binding driver(Mongo mongo, int connections) {
        return new Binding.Driver(mongo.connectionString(), connections);
    }
}
