package org.restheart.perftest.experiment;

import static java.util.Locale.ROOT;

import java.io.Closeable;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.restheart.perftest.load.Pace;
import org.restheart.perftest.load.RequestTemplate;
import org.restheart.perftest.measure.JvmMemory;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.report.Row;
import org.restheart.perftest.report.Spread;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.ycsb.BlockingHttp;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `overload`: queries that MongoDB has to work for, at multiples of the rate that it can answer.
@Command(
        name = "overload",
        description =
                "A query without an index, each one different, at 0.5 to 10 times the rate that MongoDB can answer: how "
                        + "many are answered and how fast, and how fast the others are refused.",
        footer = "Takes four minutes.")
public final class OverloadExperiment extends Experiment {
    private static final int TEXT = 150;

    @Option(names = "--documents", description = "That a query looks at; default ${DEFAULT-VALUE}.")
    int documents = 10_000;

    @Option(
            names = "--concurrency",
            split = ",",
            description =
                    "Connections of the closed loops among which the best rate is sought; default ${DEFAULT-VALUE}.")
    List<Integer> concurrency = List.of(4, 16, 64);

    @Option(names = "--factors", split = ",", description = "Times the best rate, open loop; default ${DEFAULT-VALUE}.")
    List<Double> factors = List.of(0.5, 1.0, 2.0, 5.0, 10.0);

    @Option(names = "--connections", description = "Of the open loops; default ${DEFAULT-VALUE}.")
    int connections = 4_000;

    public OverloadExperiment() {
        run.repetitions = 1;
        run.seconds = 10;
        run.warmUp = 5;
    }

    @Override
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo();
        var data = bed.keep(new Dataset(mongo));
        var gateway = bed.gateway("gateway", mongo, "");
        var traffic = query(gateway.dialect(), data.loaded(documents, TEXT));
        var journal = run.journal(run.repetitions * (concurrency.size() + factors.size()));
        var notes = new ArrayList<String>();
        for (int repetition = 1; repetition <= run.repetitions; repetition++) {
            double best = 0;
            for (var clients : concurrency) {
                var window = journal.warmedUp(gateway.name(), "query", run.window());
                var measured = gateway.measure(traffic, clients, new Pace.Closed(), window);
                journal.add(new Row("as many as there are clients", gateway.name(), clients, repetition, measured));
                best = Math.max(best, measured.rate());
            }
            for (var factor : factors) {
                notes.add(overload(gateway, traffic, factor, factor * best, repetition, journal));
            }
        }
        return new Findings(
                "overload",
                "What becomes of queries that come faster than MongoDB answers them? Each looks at " + documents
                        + " documents and is different from the others, so that nothing is shared.",
                "clients, or percent of the best rate",
                "",
                Map.of(RunOptions.LOAD_CLIENT, "HTTP/1.1 keep-alive; open loop over " + connections + " connections"),
                journal,
                notes);
    }

    private String overload(
            HttpSubject gateway, RequestTemplate traffic, double factor, double rate, int repetition, Journal journal)
            throws IOException, InterruptedException {
        int percent = (int) Math.round(factor * 100);
        Measurement measured;
        RefusalProbe.Refusals refusals;
        try (var probe = new RefusalProbe(gateway.dialect(), traffic)) {
            measured = gateway.measure(traffic, connections, new Pace.Open(rate), run.window());
            refusals = probe.end();
        }
        journal.add(new Row("at a constant rate", gateway.name(), percent, repetition, measured));
        long pid = gateway.watch().getOrDefault("gateway", 0L);
        return String.format(
                ROOT,
                "%d %% of the best rate, %.0f/s: %.0f/s answered, p99 %.0f ms; a client beside them: %s; live heap %d MB",
                percent,
                rate,
                measured.rate(),
                measured.latency().p99() / 1000,
                refusals,
                JvmMemory.of(pid).liveHeap() / 1_000_000);
    }

    /// Matches nothing, so that the answer is small and the work is MongoDB's.
    private static RequestTemplate query(RestDialect dialect, Namespace namespace) {
        var filter = URLEncoder.encode("{\"text\":{\"$regex\":\"#N#$\"}}", StandardCharsets.UTF_8)
                .replace(URLEncoder.encode("#N#", StandardCharsets.UTF_8), "no{}");
        return new RequestTemplate(
                "GET",
                namespace.path() + "?pagesize=5&filter=" + filter,
                dialect.fields(),
                "",
                new RequestTemplate.Slot.RandomNumber(0, Integer.MAX_VALUE));
    }

    /// One more client among many, which measures how long refusals take. Sends ten requests a second over one
    /// connection and blocks on it: where all processors are busy, each further thread of a client waits for a
    /// processor as well.
    private static final class RefusalProbe implements Closeable {
        private final BlockingHttp connection;
        private final List<Double> refused = new ArrayList<>();
        private final List<Double> answered = new ArrayList<>();
        private final Thread thread;
        private volatile boolean over;
        private int withoutRetryAfter;
        private int others;

        /// What such a client saw.
        ///
        /// @param others neither answered nor refused with `503`
        record Refusals(List<Double> answeredMillis, List<Double> refusedMillis, int withoutRetryAfter, int others) {
            @Override
            public String toString() {
                return String.format(
                        ROOT,
                        "%d answered, at the longest after %.0f ms, %d refused, half of them within %.1f ms, 95 %% within %.0f ms, all within %.0f ms, %d without"
                                + " Retry-After, %d others",
                        answeredMillis.size(),
                        Spread.percentile(answeredMillis, 1),
                        refusedMillis.size(),
                        Spread.percentile(refusedMillis, 0.5),
                        Spread.percentile(refusedMillis, 0.95),
                        Spread.percentile(refusedMillis, 1),
                        withoutRetryAfter,
                        others);
            }
        }

        RefusalProbe(RestDialect dialect, RequestTemplate traffic) {
            connection = dialect.connection();
            thread = Thread.ofPlatform().start(() -> {
                while (!over) {
                    ask(dialect, traffic);
                }
            });
        }

        private void ask(RestDialect dialect, RequestTemplate traffic) {
            var number = Integer.toString(ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE));
            var head = dialect.head(traffic.target().replace("{}", number));
            long start = System.nanoTime();
            try {
                var answer = connection.exchange(head, new byte[0]);
                double millis = (System.nanoTime() - start) / 1e6;
                if (answer.status() == 503) {
                    refused.add(millis);
                    withoutRetryAfter += answer.hasRetryAfter() ? 0 : 1;
                } else if (answer.status() == 200) {
                    answered.add(millis);
                } else {
                    others++;
                }
                Thread.sleep(100);
            } catch (IOException _) {
                others++;
            } catch (InterruptedException _) {
                over = true;
            }
        }

        /// Waits for its last answer.
        Refusals end() throws InterruptedException {
            over = true;
            thread.join();
            return new Refusals(List.copyOf(answered), List.copyOf(refused), withoutRetryAfter, others);
        }

        @Override
        public void close() {
            over = true;
            connection.close();
        }
    }
}
