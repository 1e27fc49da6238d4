package org.restheart.perftest.experiment;

import static java.util.Locale.ROOT;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Window;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `deep`: the third published test, the page at skip 250,000; beside it the first page, random deep pages, a cold
/// start.
@Command(
        name = "deep",
        description = "Published test 3: queries at skip 250,000 at 1–500 clients; also the first page, random deep "
                + "pages, and the very first deep page after a start.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class DeepExperiment implements Callable<Integer> {
    private static final int LIMIT = 5;
    private static final int PAUSE_MILLIS = 250;

    @Mixin
    RunOptions run = new RunOptions();

    @Mixin
    TargetOptions target = new TargetOptions();

    @Option(names = "--documents", description = "In the collection; default ${DEFAULT-VALUE}.")
    int documents = 2_500_000;

    @Option(names = "--text-bytes", description = "Of each document's text; default ${DEFAULT-VALUE}.")
    int textBytes = 60;

    @Option(names = "--skip", description = "Default ${DEFAULT-VALUE}.")
    long skip = 250_000;

    @Option(names = "--clients", split = ",", description = "Default ${DEFAULT-VALUE}.")
    List<Integer> clients = List.of(1, 4, 8, 20, 50, 100, 200, 500);

    @Option(names = "--random-clients", description = "For pages asked at random; default ${DEFAULT-VALUE}.")
    int randomClients = 8;

    @Option(
            names = "--driver-seconds",
            description = "How long the driver's throughput is sampled at each level; default ${DEFAULT-VALUE}.")
    double driverSeconds = 10;

    @Option(
            names = "--patience",
            description = "Seconds to wait after a cold start until pages are fast; default " + "${DEFAULT-VALUE}.")
    int patience = 60;

    private final List<String> notes = new ArrayList<>();

    /// Unless told otherwise, pages are asked for as clients do that walk: from the cursor pool.
    public DeepExperiment() {
        target.pageParameters = "eager=linear";
    }

    @Override
    public Integer call() throws Exception {
        var publication = new Publication(run, target);
        try (var lab = new Lab(run, target)) {
            var mongo = lab.mongo();
            var data = lab.keep(new Dataset(mongo));
            var namespace = data.loaded(documents, textBytes);
            var gateway = lab.gateway("gateway", mongo, "");
            var driver = lab.driver(mongo);
            var journal = new Journal(2 + run.repetitions * (3 * clients.size() + 2), System.out);
            coldStart(gateway, namespace);
            lab.verify(
                    gateway,
                    mongo,
                    new Operation.Page(namespace, 0, LIMIT),
                    new Operation.Page(namespace, skip, LIMIT));
            for (var repetition = 1; repetition <= run.repetitions; repetition++) {
                for (var level : clients) {
                    samePage(gateway, driver, namespace, level, repetition, journal);
                }
                randomPages(gateway, driver, namespace, repetition, journal);
            }
            return publication.publish(
                    "deep",
                    "What does a page of " + LIMIT + " documents cost at skip " + skip + " of " + documents
                            + ", beside the first page and beside the driver? (Published test 3.)",
                    "clients",
                    "driver",
                    Map.of(
                            "MongoDB", mongo.description(),
                            "documents", documents + " with a text of " + textBytes + " bytes",
                            "driver", "sampled for " + driverSeconds + " s at each level"),
                    journal,
                    notes);
        }
    }

    private void samePage(
            Subject gateway, Subject driver, Namespace namespace, int level, int repetition, Journal journal)
            throws IOException {
        var deep = new Operation.Page(namespace, skip, LIMIT);
        var first = journal.measure(gateway, new Operation.Page(namespace, 0, LIMIT), level, repetition, run.window());
        var far = journal.measure(gateway, deep, level, repetition, run.window());
        journal.measure(driver, deep, level, repetition, sampled());
        notes.add(String.format(
                ROOT,
                "%d clients, repetition %d: the deep page has %.2f × the throughput of the first",
                level,
                repetition,
                far.rate() / first.rate()));
    }

    private void randomPages(Subject gateway, Subject driver, Namespace namespace, int repetition, Journal journal)
            throws IOException {
        var random = new Operation.RandomPage(namespace, skip, documents - documents % LIMIT, LIMIT);
        journal.measure(gateway, random, randomClients, repetition, run.window());
        journal.measure(driver, random, randomClients, repetition, sampled());
    }

    private Window sampled() {
        return Window.seconds(run.warmUp, driverSeconds);
    }

    /// The first deep page that a gateway serves, and how long until the page costs less than thrice the first one.
    private void coldStart(Subject gateway, Namespace namespace) throws IOException, InterruptedException {
        var once = new Window(0, 600_000, 1);
        var shallow = new Operation.Page(namespace, 0, LIMIT);
        gateway.measure(shallow, 1, new Window(0, 600_000, 50));
        var target = 3
                * gateway.measure(shallow, 1, new Window(0, 600_000, 50))
                        .latency()
                        .p50();
        var began = System.nanoTime();
        var deep = new Operation.Page(namespace, skip, LIMIT);
        var cold = gateway.measure(deep, 1, once);
        notes.add(String.format(
                ROOT,
                "cold start: the first deep page took %.1f ms",
                cold.latency().max() / 1000));
        var giveUp = began + TimeUnit.SECONDS.toNanos(patience);
        var latency = cold.latency().max();
        while (latency > target && System.nanoTime() < giveUp) {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            latency = gateway.measure(deep, 1, once).latency().max();
        }
        notes.add(
                latency > target
                        ? "cold start: the deep page was not fast within " + patience + " s"
                        : String.format(
                                ROOT,
                                "cold start: the deep page was fast (%.1f ms) %.1f s after it was first asked for",
                                latency / 1000,
                                (System.nanoTime() - began) / 1e9));
    }
}
