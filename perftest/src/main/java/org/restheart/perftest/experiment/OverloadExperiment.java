package org.restheart.perftest.experiment;

import static java.util.Locale.ROOT;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.restheart.perftest.load.OpenLoop;
import org.restheart.perftest.load.Requests;
import org.restheart.perftest.load.RestDialect;
import org.restheart.perftest.measure.JvmMemory;
import org.restheart.perftest.report.Row;
import org.restheart.perftest.report.Spread;
import org.restheart.perftest.workload.Namespace;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `overload`: queries that MongoDB has to work for, at multiples of the rate that it can answer.
@Command(
        name = "overload",
        description =
                "A query without an index, each one different, at 0.5 to 10 times the rate that MongoDB can answer:"
                        + " how many are answered and how fast, and how fast the others are refused.",
        footer = "Takes four minutes.")
public final class OverloadExperiment extends Experiment {
    private static final int TEXT = 150;
    private static final int VALUES = 50_000;

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
        var target = query(data.loaded(documents, TEXT));
        var numbers = IntStream.range(0, VALUES).mapToObj(Integer::toString).toList();
        var requests = List.of(new Requests("GET", target, gateway.dialect().fields(), "", numbers, 1));
        var journal = run.journal(run.repetitions * (concurrency.size() + factors.size()));
        var notes = new ArrayList<String>();
        for (int repetition = 1; repetition <= run.repetitions; repetition++) {
            double best = 0;
            for (var clients : concurrency) {
                var window = journal.warmedUp(gateway.name(), "query", run.window());
                var measured = gateway.measure(requests, clients, window);
                journal.add(new Row("as many as there are clients", gateway.name(), clients, repetition, measured));
                best = Math.max(best, measured.rate());
            }
            for (var factor : factors) {
                notes.add(overload(gateway, target, factor, factor * best, repetition, journal));
            }
        }
        notes.forEach(System.out::println);
        return new Findings(
                "overload",
                "What becomes of queries that come faster than MongoDB answers them? Each looks at " + documents
                        + " documents and is different from the others, so that nothing is shared.",
                "clients, or percent of the best rate",
                "",
                Map.of(),
                journal,
                notes);
    }

    private String overload(
            HttpSubject gateway, String target, double factor, double rate, int repetition, Journal journal)
            throws IOException, InterruptedException {
        int percent = (int) Math.round(factor * 100);
        var probe = new RefusalProbe(gateway.dialect(), target);
        var measured = new OpenLoop(gateway.dialect(), target, rate, run.window(), gateway.watch()).run();
        var refusals = probe.end();
        journal.add(new Row("at a constant rate", gateway.name(), percent, repetition, measured));
        long pid = gateway.watch().getOrDefault("gateway", 0L);
        return String.format(
                ROOT,
                "%d %% of the best rate, %.0f/s: %.0f/s answered, p99 %.0f ms; a client beside them: %s; live heap %d"
                        + " MB",
                percent,
                rate,
                measured.rate(),
                measured.latency().p99() / 1000,
                refusals,
                JvmMemory.of(pid).liveHeap() / 1_000_000);
    }

    /// Matches nothing, so that the answer is small and the work is MongoDB's.
    private static String query(Namespace namespace) {
        var filter =
                RestDialect.encoded("{\"text\":{\"$regex\":\"#N#$\"}}").replace(RestDialect.encoded("#N#"), "no{}");
        return namespace.path() + "?pagesize=5&filter=" + filter;
    }

    /// One more client among many, which measures how long refusals take. Sends ten requests a second over one
    /// connection and blocks on it: where all processors are busy, each further thread of a client waits for a
    /// processor as well.
    private static final class RefusalProbe {
        private final List<Double> refused = new ArrayList<>();
        private final List<Double> answered = new ArrayList<>();
        private final Thread thread;
        private volatile boolean over;
        private int withoutRetryAfter;
        private int others;

        RefusalProbe(RestDialect dialect, String target) {
            thread = Thread.ofPlatform().daemon().start(() -> {
                var connection = dialect.connection();
                while (!over) {
                    var number = Integer.toString(ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE));
                    var head = dialect.head(target.replace("{}", number));
                    long start = System.nanoTime();
                    try {
                        var answer = connection.exchange(head, new byte[0]);
                        count(answer.status(), answer.hasRetryAfter(), (System.nanoTime() - start) / 1e6);
                        Thread.sleep(100);
                    } catch (IOException _) {
                        others++;
                    } catch (InterruptedException _) {
                        over = true;
                    }
                }
                connection.close();
            });
        }

        private void count(int status, boolean hasRetryAfter, double millis) {
            if (status == 503) {
                refused.add(millis);
                withoutRetryAfter += hasRetryAfter ? 0 : 1;
            } else if (status == 200) {
                answered.add(millis);
            } else {
                others++;
            }
        }

        /// Waits for its last answer and says what such a client saw.
        String end() throws InterruptedException {
            over = true;
            thread.join();
            return String.format(
                    ROOT,
                    "%d answered, at the longest after %.0f ms, %d refused, half of them within %.1f ms, 95 %% within"
                            + " %.0f ms, all within %.0f ms, %d without Retry-After, %d others",
                    answered.size(),
                    Spread.percentile(answered, 1),
                    refused.size(),
                    Spread.percentile(refused, 0.5),
                    Spread.percentile(refused, 0.95),
                    Spread.percentile(refused, 1),
                    withoutRetryAfter,
                    others);
        }
    }
}
