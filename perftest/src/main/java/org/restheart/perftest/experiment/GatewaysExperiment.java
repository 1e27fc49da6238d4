package org.restheart.perftest.experiment;

import static java.util.Locale.ROOT;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.restheart.perftest.load.Pace;
import org.restheart.perftest.report.Row;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `gateways`: what a request costs one, two and four gateways behind a load balancer.
@Command(
        name = "gateways",
        description = "Inserts and reads by id at a constant rate, through HAProxy and 1, 2 and 4 gateways on this "
                + "machine: what a request costs all of them together.",
        footer = "Takes four minutes.")
public final class GatewaysExperiment extends Experiment {
    private static final String BALANCER = "HAProxy";

    @Mixin
    WorkOptions work = new WorkOptions();

    @Option(names = "--gateways", split = ",", description = "Default ${DEFAULT-VALUE}.")
    List<Integer> numbers = List.of(1, 2, 4);

    @Option(names = "--rate", description = "Requests per second; default ${DEFAULT-VALUE}.")
    int rate = 4_000;

    @Option(names = "--clients", description = "Connections; default ${DEFAULT-VALUE}.")
    int clients = 128;

    public GatewaysExperiment() {
        work.kinds = List.of(WorkOptions.Kind.insert, WorkOptions.Kind.read);
        run.repetitions = 3;
    }

    @Override
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo();
        var data = bed.keep(new Dataset(mongo));
        var gateways = new ArrayList<HttpSubject>();
        for (int i = 1; i <= numbers.stream().mapToInt(Integer::intValue).max().orElseThrow(); i++) {
            gateways.add(bed.gateway("gateway " + i, mongo, ""));
        }
        var balanced = new ArrayList<HttpSubject>();
        for (var number : numbers) {
            balanced.add(bed.balanced(BALANCER, gateways.subList(0, number), mongo));
        }
        var journal = run.journal(run.repetitions * work.kinds.size() * numbers.size())
                .auditedBy(data.inserted());
        for (var kind : work.kinds) {
            for (var subject : balanced) {
                bed.verify(subject, mongo, work.operation(kind, data).get());
            }
            for (var gateway :
                    gateways) { // behind the balancer, the last ones would be compiled during the measurement
                var operation = work.operation(kind, data).get();
                data.inserted().check(operation, gateway.measure(operation, clients, new Pace.Closed(), run.window()));
            }
            for (int repetition = 1; repetition <= run.repetitions; repetition++) {
                for (int i = 0; i < balanced.size(); i++) {
                    var subject = balanced.get(i);
                    var operation = work.operation(kind, data).get();
                    var measured = subject.measure(operation, clients, new Pace.Open(rate), run.window());
                    data.inserted().check(operation, measured);
                    journal.add(new Row(operation.label(), subject.name(), numbers.get(i), repetition, measured));
                }
            }
        }
        var notes = costs(journal.rows());
        notes.forEach(System.out::println);
        return new Findings(
                "gateways",
                "What does a request cost one, two and four gateways behind a load balancer? At " + rate
                        + " requests per second over " + clients + " connections.",
                "gateways",
                "",
                Map.of("documents", work.documents.description()),
                journal,
                notes);
    }

    /// In a sentence for each operation and number of gateways.
    private static List<String> costs(List<Row> rows) {
        var notes = new ArrayList<String>();
        rows.stream()
                .collect(Collectors.groupingBy(row -> row.operation() + ", " + row.subject()))
                .forEach((what, same) -> notes.add(String.format(
                        ROOT,
                        "%s: CPU time per request: gateways %.0f µs, mongod %.0f µs, %s %.0f µs; p99 %.1f ms",
                        what,
                        micros(same, "gateway"),
                        micros(same, "mongod"),
                        BALANCER,
                        micros(same, BALANCER),
                        same.stream()
                                .mapToDouble(row -> row.measurement().latency().p99() / 1000)
                                .average()
                                .orElseThrow())));
        notes.sort(null);
        return notes;
    }

    /// Of all processes whose names begin so; the mean of the repetitions.
    private static double micros(List<Row> rows, String process) {
        return rows.stream()
                .mapToDouble(row -> row.measurement().cpu().seconds().entrySet().stream()
                                .filter(each -> each.getKey().startsWith(process))
                                .mapToDouble(Map.Entry::getValue)
                                .sum()
                        * 1e6
                        / row.measurement().operations())
                .average()
                .orElseThrow();
    }
}
