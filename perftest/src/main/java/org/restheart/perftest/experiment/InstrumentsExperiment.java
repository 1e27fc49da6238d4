package org.restheart.perftest.experiment;

import static java.util.Locale.ROOT;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.restheart.perftest.report.Ratios;
import org.restheart.perftest.report.Spread;
import org.restheart.perftest.ycsb.BlockingHttp;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `instruments`: what the measuring of requests costs, and how long a scrape takes meanwhile.
@Command(
        name = "instruments",
        description = "The everyday operations with and without metrics of requests, in turn; the gateway with them is "
                + "scraped each second.",
        footer = "Takes eight minutes.")
public final class InstrumentsExperiment extends Experiment {
    private static final String ON = "metrics on";
    private static final String OFF = "metrics off";

    @Mixin
    WorkOptions work = new WorkOptions();

    @Option(names = "--clients", split = ",", description = "Default ${DEFAULT-VALUE}.")
    List<Integer> clients = List.of(128);

    public InstrumentsExperiment() {
        run.repetitions = 7;
    }

    @Override
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo();
        var data = bed.keep(new Dataset(mongo));
        var off = bed.gateway(OFF, mongo, "/requestsMetricsCollector/enabled -> false");
        var on = bed.gateway(ON, mongo, "/requestsMetricsCollector/enabled -> true");
        var journal = run.journal(work.kinds.size() * run.repetitions * clients.size() * 2)
                .auditedBy(data.inserted());
        var scrapes = new ArrayList<Double>();
        for (var kind : work.kinds) {
            bed.verify(off, mongo, work.operation(kind, data).get());
            bed.verify(on, mongo, work.operation(kind, data).get());
            for (var repetition = 1; repetition <= run.repetitions; repetition++) {
                for (var level : clients) {
                    // Whoever comes second finds caches and heap of MongoDB as the first has left them.
                    for (var subject : repetition % 2 == 0 ? List.of(on, off) : List.of(off, on)) {
                        try (var scraper = new Scraper(subject.dialect())) {
                            journal.measure(subject, work.operation(kind, data).get(), level, repetition, run.window());
                            if (subject.name().equals(ON)) {
                                scrapes.addAll(scraper.end());
                            }
                        }
                    }
                }
            }
        }
        var notes = new ArrayList<>(Ratios.cpuPerLevel(journal.rows(), "gateway", ON, OFF));
        notes.add(String.format(
                ROOT,
                "%d scrapes of the gateway under load took %.1f ms (median), %.1f ms (95 %%), %.1f ms (longest), as "
                        + "their client saw it, which shares the processors with everything else",
                scrapes.size(),
                Spread.percentile(scrapes, 0.5),
                Spread.percentile(scrapes, 0.95),
                Spread.percentile(scrapes, 1)));
        notes.forEach(System.out::println);
        notes.addAll(Ratios.of(journal.rows(), OFF));
        return new Findings(
                "instruments",
                "What do metrics of requests cost, and how long does a scrape take under load?",
                "clients",
                OFF,
                Map.of("documents", work.documents.description()),
                journal,
                List.copyOf(notes));
    }

    /// Scrapes a gateway's metrics each second, as Prometheus does, and measures how long each scrape takes.
    private static final class Scraper implements Closeable {
        private static final int PAUSE_MILLIS = 1000;

        private final BlockingHttp http;
        private final List<Double> millis = new ArrayList<>();
        private final Thread thread;
        private volatile boolean over;
        private @Nullable IOException failure;

        Scraper(RestDialect dialect) {
            http = dialect.connection();
            var head = dialect.head(
                    "/metrics", "Accept: application/openmetrics-text; version=1.0.0; q=0.9, text/plain; q=0.5");
            thread = Thread.ofPlatform().start(() -> scrape(head));
        }

        private void scrape(String head) {
            try {
                while (!over) {
                    Thread.sleep(PAUSE_MILLIS);
                    long start = System.nanoTime();
                    var response = http.exchange(head, new byte[0]);
                    millis.add((System.nanoTime() - start) / 1e6);
                    if (response.status() != 200) {
                        throw new IOException("a scrape was answered with " + response.status());
                    }
                }
            } catch (IOException e) {
                failure = e;
            } catch (InterruptedException _) {
                over = true;
            }
        }

        /// Waits for the scrape in progress.
        ///
        /// @throws IOException if one has failed
        List<Double> end() throws IOException, InterruptedException {
            over = true;
            thread.join();
            if (failure != null) {
                throw failure;
            }
            return List.copyOf(millis);
        }

        @Override
        public void close() {
            over = true;
            http.close();
        }
    }
}
