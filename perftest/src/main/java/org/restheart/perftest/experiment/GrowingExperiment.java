package org.restheart.perftest.experiment;

import static java.util.Locale.ROOT;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Map;
import org.restheart.perftest.report.Row;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Window;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `growing`: the fourth published test, a skip that grows from request to request, cut into segments so that
/// the deep end can be seen apart. The driver samples each segment at positions spread over it.
@Command(
        name = "growing",
        description =
                "Published test 4: skip growing from 250,000 to 2,250,000, 4 clients; more pages than the 500 then, "
                        + "which are over in a moment.",
        footer = "Takes three minutes, and one more to load the documents when it first runs.")
public final class GrowingExperiment extends Experiment {
    private static final int LIMIT = 5;

    /// Seconds to wait until deep pages are fast.
    private static final int TIMEOUT = 60;

    @Mixin
    Dataset.DocumentOptions documents = new Dataset.DocumentOptions(2_500_000, 60);

    @Option(names = "--from", description = "First skip; default ${DEFAULT-VALUE}.")
    long from = 250_000;

    @Option(names = "--to", description = "Last skip; default ${DEFAULT-VALUE}.")
    long to = 2_250_000;

    @Option(names = "--segments", description = "Default ${DEFAULT-VALUE}.")
    int segments = 5;

    @Option(names = "--queries", description = "Over all segments; default ${DEFAULT-VALUE}.")
    long queries = 50_000;

    @Option(names = "--driver-queries", description = "Over all segments; default ${DEFAULT-VALUE}.")
    long driverQueries = 100;

    @Option(names = "--clients", description = "Default ${DEFAULT-VALUE}.")
    int clients = 4;

    @Override
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo();
        var namespace = bed.keep(new Dataset(mongo)).loaded(documents);
        var gateway = bed.gateway("gateway", mongo, "");
        var driver = bed.driver(mongo);
        var journal = new Journal(2 * segments * run.repetitions, System.out);
        bed.verify(gateway, mongo, new Operation.Page(namespace, from, LIMIT));
        var notes = new ArrayList<>(new DeepExperiment.ColdStart(namespace, aligned(to), LIMIT, TIMEOUT).of(gateway));
        gateway.measure(new Operation.Page(namespace, 0, LIMIT), clients, run.window());
        gateway.measure(new Operation.RandomPage(namespace, aligned(from), aligned(to), LIMIT), clients, run.window());
        driver.measure(new Operation.Page(namespace, 0, LIMIT), clients, run.window());
        for (var repetition = 1; repetition <= run.repetitions; repetition++) {
            for (var segment = 0; segment < segments; segment++) {
                var start = aligned(from + segment * width());
                journal.add(row(gateway, namespace, start, repetition, queries / segments));
                journal.add(row(driver, namespace, start, repetition, driverQueries / segments));
            }
        }
        notes.add(String.format(
                ROOT,
                "Each segment is %,d documents long; the gateway reads %d pages of each, the driver %d.",
                width(),
                queries / segments,
                driverQueries / segments));
        return new Findings(
                "growing",
                "Does a page cost more the deeper it lies? " + queries + " pages of " + LIMIT
                        + " documents, skip growing from " + from + " to " + to + ", " + clients
                        + " clients. (Published test 4.)",
                "skip",
                "driver",
                Map.of("documents", documents.description()),
                journal,
                notes);
    }

    private Row row(Subject subject, Namespace namespace, long start, int repetition, long queries) throws IOException {
        var pages = new Operation.GrowingPage(namespace, start, aligned(width() / queries), LIMIT);
        var measured = subject.measure(pages, clients, new Window(0, 1_800_000, queries));
        return new Row("pages at growing skip", subject.name(), Math.toIntExact(start), repetition, measured);
    }

    private long width() {
        return (to - from) / segments;
    }

    private static long aligned(long position) {
        return position - position % LIMIT;
    }
}
