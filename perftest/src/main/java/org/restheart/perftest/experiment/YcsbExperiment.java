package org.restheart.perftest.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.report.Row;
import org.restheart.perftest.worker.Task;
import org.restheart.perftest.worker.Worker;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.ycsb.YcsbBinding;
import org.restheart.perftest.ycsb.YcsbLoad;
import org.restheart.perftest.ycsb.YcsbTable;
import org.restheart.perftest.ycsb.YcsbWorkload;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import site.ycsb.workloads.CoreWorkload;

/// `ycsb`: the original core workloads A to F, through the gateway and directly.
@Command(
        name = "ycsb",
        description =
                "YCSB's core workloads A–F: through the gateway over HTTP, directly over the Java driver, and over "
                        + "the reactive streams driver.",
        footer = {
            "Takes fifteen minutes. The published range takes hours; a sample of it 50 minutes:",
            "  perftest/run ycsb --threads 1,16,64,256 --connections 1,16,64 --repetitions 3"
        })
public final class YcsbExperiment extends Experiment {
    private static final Namespace TABLE = new Namespace(Dataset.DATABASE, "usertable");
    private static final Path REACTIVE_LIBRARIES = Path.of("perftest/target/lib-reactive");

    @Option(names = "--workloads", split = ",", description = "Some of ${COMPLETION-CANDIDATES}; default: all.")
    List<YcsbWorkload> workloads = List.of(YcsbWorkload.values());

    @Option(names = "--threads", split = ",", description = "Published: 1 to 256; default ${DEFAULT-VALUE}.")
    List<Integer> threads = List.of(1, 64);

    @Option(
            names = "--connections",
            split = ",",
            description = "That the threads share; published: 1 to 64; default ${DEFAULT-VALUE}.")
    List<Integer> connections = List.of(64);

    @Option(names = "--records", description = "In the table; default ${DEFAULT-VALUE}.")
    long records = 50_000;

    /// One of the ways to the data.
    private record Way(String name, Worker worker, YcsbBinding binding, Map<String, Long> watch) {}

    /// So many threads that share so many connections.
    private record Level(int connections, int threads) {}

    public YcsbExperiment() {
        run.repetitions = 1;
    }

    @Override
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo();
        var gateway = bed.keep(bed.startGateway("gateway", mongo));
        var watch = Map.of("mongod", mongo.pid());
        var watchBoth = Map.of("mongod", mongo.pid(), "gateway", gateway.pid());
        var viaGateway = bed.worker();
        var direct = bed.worker();
        var reactive = bed.worker(withReactiveLibraries());
        var levels = levels();
        var journal = run.journal(measurements(levels.size()));
        for (var repetition = 1; repetition <= run.repetitions; repetition++) {
            for (var workload : workloads) {
                YcsbTable.load(mongo.connectionString(), TABLE, records);
                for (var level : levels) {
                    var pool = level.connections();
                    var http = new YcsbBinding.Http("127.0.0.1", gateway.port(), target.credentials, pool, false);
                    var ways = new ArrayList<>(List.of(
                            new Way("gateway", viaGateway, http, watchBoth),
                            new Way("driver", direct, new YcsbBinding.Driver(mongo.connectionString(), pool), watch),
                            new Way(
                                    "reactive driver",
                                    reactive,
                                    new YcsbBinding.Reactive(mongo.connectionString(), pool),
                                    watch)));
                    if (workload == YcsbWorkload.E) {
                        ways.add(1, new Way("gateway, BSON", viaGateway, http.withBson(), watchBoth));
                    }
                    for (var way : ways) {
                        journal.add(row(workload, way, mongo, level.threads(), repetition, journal));
                    }
                }
            }
        }
        return new Findings(
                "ycsb",
                "How do YCSB's core workloads run through the gateway, beside the Java drivers?",
                "threads",
                "driver",
                Map.of(
                        RunOptions.LOAD_CLIENT,
                        "YCSB's threads, closed loop; to the gateway HTTP/1.1 keep-alive over blocking sockets",
                        "YCSB",
                        Publication.library(CoreWorkload.class).replace("core-", "site.ycsb:core "),
                        "records",
                        records + ", ten fields of 100 bytes",
                        "reactive driver",
                        "release 5.8.0 with its own core, in a process of its own"),
                journal,
                List.of(
                        "Kinds of transactions, keys, lengths of scans and fields are drawn from the seed, the same for every "
                                + "subject; the text within fields is not, and the newest keys of D depend on who inserts "
                                + "first.",
                        "Each connection serves one thread at a time; threads are measured with no more connections than they are."));
    }

    /// Three subjects at each workload, four at scans.
    private int measurements(int levels) {
        int scans = workloads.contains(YcsbWorkload.E) ? 1 : 0;
        return (3 * workloads.size() + scans) * levels * run.repetitions;
    }

    /// Each connection serves one thread at a time, so threads use no more connections than they are.
    private List<Level> levels() {
        return connections.stream()
                .flatMap(pool -> threads.stream().map(count -> new Level(Math.min(pool, count), count)))
                .distinct()
                .toList();
    }

    /// The reactive driver's libraries come first: it needs the driver core of its own release.
    private static String withReactiveLibraries() {
        return REACTIVE_LIBRARIES.resolve("*") + ":" + System.getProperty("java.class.path");
    }

    private Row row(YcsbWorkload workload, Way way, Mongo mongo, int level, int repetition, Journal journal)
            throws IOException {
        var window = journal.warmedUp(way.name(), workload.name(), run.window());
        var load = new YcsbLoad(workload, way.binding(), TABLE, records, level, window, run.seed);
        var measured = way.worker().run(new Task.Ycsb(load, way.watch()));
        if (workload.inserts()) {
            YcsbTable.load(mongo.connectionString(), TABLE, records);
        }
        var operation = "workload " + workload
                + (connections.size() > 1 ? ", " + way.binding().connections() + " connections" : "");
        return new Row(operation, way.name(), level, repetition, measured);
    }
}
