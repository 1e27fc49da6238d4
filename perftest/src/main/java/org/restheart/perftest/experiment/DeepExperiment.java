package org.restheart.perftest.experiment;

import static java.util.Locale.ROOT;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Window;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `deep`: the third published test, the page at skip 250,000; beside it the first page, random deep pages, a
/// cold start.
@Command(
        name = "deep",
        description = "Published test 3: queries at skip 250,000 at 1–500 clients; also the first page, random deep "
                + "pages, and the very first deep page after a start.",
        footer = "Takes eight minutes, and one more to load the documents when it first runs.")
public final class DeepExperiment extends Experiment {
    private static final int LIMIT = 5;

    private static final int LONGEST_MILLIS = 600_000;

    /// Both pages are asked for that many times as long as is recorded before anything is, so that neither has
    /// the advantage of code that is compiled already.
    private static final int WARMING = 2;

    @Mixin
    Dataset.DocumentOptions documents = new Dataset.DocumentOptions(2_500_000, 60);

    @Option(names = "--skip", description = "Default ${DEFAULT-VALUE}.")
    long skip = 250_000;

    @Option(names = "--clients", split = ",", description = "Default ${DEFAULT-VALUE}.")
    List<Integer> clients = List.of(1, 4, 8, 20, 50, 100, 200, 500);

    @Option(names = "--random-clients", description = "For pages asked at random; default ${DEFAULT-VALUE}.")
    int randomClients = 8;

    @Option(
            names = "--driver-queries",
            description = "Of the driver at each level, at least one of each client; default ${DEFAULT-VALUE}.")
    int driverQueries = 20;

    @Option(
            names = "--timeout",
            description = "Seconds to wait after a cold start until pages are fast; default " + "${DEFAULT-VALUE}.")
    int timeout = 60;

    private final List<String> notes = new ArrayList<>();

    @Override
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo();
        var namespace = bed.keep(new Dataset(mongo)).loaded(documents);
        var gateway = bed.gateway("gateway", mongo, "");
        var driver = bed.driver(mongo);
        var journal = new Journal(run.repetitions * (2 * clients.size() + 1) + clients.size() + 1, 0);
        try (var timed = new Verification(mongo)) {
            notes.addAll(new ColdStart(namespace, skip, LIMIT, timeout).of(gateway, timed));
        }
        bed.verify(gateway, mongo, new Operation.Page(namespace, 0, LIMIT), new Operation.Page(namespace, skip, LIMIT));
        for (var page : List.of(new Operation.Page(namespace, 0, LIMIT), new Operation.Page(namespace, skip, LIMIT))) {
            gateway.measure(page, randomClients, Window.seconds(run.warmUp, WARMING * run.seconds));
        }
        for (var repetition = 1; repetition <= run.repetitions; repetition++) {
            for (var level : clients) {
                samePage(gateway, driver, namespace, level, repetition, journal);
            }
            randomPages(gateway, driver, namespace, repetition, journal);
        }
        return new Findings(
                "deep",
                "What does a page of " + LIMIT + " documents cost at skip " + skip + " of "
                        + documents.documents
                        + ", beside the first page and beside the driver? (Published test 3.)",
                "clients",
                "driver",
                Map.of(
                        "documents",
                        documents.description(),
                        "driver",
                        "sampled: " + driverQueries
                                + " queries at each level, at least one of each client, in the first repetition"),
                journal,
                notes);
    }

    private void samePage(
            Subject gateway, Subject driver, Namespace namespace, int level, int repetition, Journal journal)
            throws IOException, InterruptedException {
        var deep = new Operation.Page(namespace, skip, LIMIT);
        journal.measure(gateway, new Operation.Page(namespace, 0, LIMIT), level, repetition, run.window());
        journal.measure(gateway, deep, level, repetition, run.window());
        if (repetition == 1) {
            journal.measure(driver, deep, level, repetition, sampled(level));
        }
    }

    private void randomPages(Subject gateway, Subject driver, Namespace namespace, int repetition, Journal journal)
            throws IOException, InterruptedException {
        var random =
                new Operation.RandomPage(namespace, skip, documents.documents - documents.documents % LIMIT, LIMIT);
        journal.measure(gateway, random, randomClients, repetition, run.window());
        if (repetition == 1) {
            journal.measure(driver, random, randomClients, repetition, sampled(randomClients));
        }
    }

    private Window sampled(int level) {
        return new Window(0, LONGEST_MILLIS, Math.max(driverQueries, level));
    }

    /// The first deep page that a gateway serves, and how long until the page costs less than thrice the first one.
    ///
    /// @param timeout seconds until it is given up
    private record ColdStart(Namespace namespace, long skip, int limit, int timeout) {
        private static final int PAUSE_MILLIS = 100;
        private static final int LEAST_SECONDS = 2;

        List<String> of(HttpSubject gateway, Verification timed) throws IOException, InterruptedException {
            gateway.measure(new Operation.Page(namespace, 0, limit), 1, Window.seconds(0, LEAST_SECONDS));
            var target = 3 * millis(gateway, timed, 0);
            var began = System.nanoTime();
            var cold = millis(gateway, timed, skip);
            var giveUp = began + TimeUnit.SECONDS.toNanos(timeout);
            var latency = cold;
            while (latency > target && System.nanoTime() < giveUp) {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                latency = millis(gateway, timed, skip);
            }
            var seconds = (System.nanoTime() - began) / 1e9;
            return List.of(
                    String.format(ROOT, "cold start: the first deep page took %.1f ms", cold),
                    latency > target
                            ? "cold start: the deep page was not fast within " + timeout + " s"
                            : String.format(
                                    ROOT,
                                    "cold start: the deep page took %.1f ms (less than three first pages, %.1f ms),"
                                            + " %.1f s after one was first asked for",
                                    latency,
                                    target,
                                    seconds));
        }

        private double millis(HttpSubject gateway, Verification timed, long skip)
                throws IOException, InterruptedException {
            var page = gateway.dialect()
                    .traffic(new Operation.Page(namespace, skip, limit))
                    .getFirst();
            var began = System.nanoTime();
            timed.check(page, gateway.dialect().port(), "_id");
            return (System.nanoTime() - began) / 1e6;
        }
    }
}
