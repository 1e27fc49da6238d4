package org.restheart.perftest.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.restheart.perftest.deploy.Build;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.report.Ratios;
import org.restheart.perftest.report.Row;
import org.restheart.perftest.workload.Window;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `compare`: the regression guard; two commits built and measured in turn, A B A B.
@Command(
        name = "compare",
        description =
                "Builds two commits and measures them in turn, A B A B: the first ten seconds after a start, then "
                        + "the operations; prints the ratios of rates and CPU times, start and resident memory.",
        footer = "Takes eight minutes, and two for each commit that was not built before.")
public final class CompareExperiment extends Experiment {
    private static final int SHORT = 10;
    private static final int FIRST_STEP_SECONDS = 2;

    @Parameters(index = "0", description = "The older commit, which ratios refer to.")
    String before = "";

    @Parameters(index = "1", description = "The newer commit; may be the same, with another configuration.")
    String after = "";

    @Mixin
    WorkOptions work = new WorkOptions();

    @Option(names = "--clients", split = ",", description = "Default ${DEFAULT-VALUE}.")
    List<Integer> clients = List.of(128, 1);

    @Option(names = "--config-of-newer", description = "Overrides of its configuration besides --gateway-config.")
    String configuration = "";

    @Option(
            names = "--first-seconds",
            description = "How long reads by id are measured from a start on, in steps of two seconds; default "
                    + "${DEFAULT-VALUE}.")
    int firstSeconds = 10;

    public CompareExperiment() {
        work.kinds = List.of(WorkOptions.Kind.values());
    }

    @Override
    Findings measure(TestBed bed) throws Exception {
        var builds = new Build(target.builds);
        var a = Build.resolve(before);
        var b = Build.resolve(after);
        var jarOfA = builds.jar(a);
        var jarOfB = builds.jar(b);
        var mongo = bed.mongo();
        var data = bed.keep(new Dataset(mongo));
        data.loaded(work.documents);
        var journal = run.journal(
                        (work.kinds.size() * clients.size() * run.repetitions + firstSeconds / FIRST_STEP_SECONDS) * 2)
                .auditedBy(data.inserted());
        var baseline = started(bed, "A " + a.substring(0, SHORT), jarOfA, mongo, "", data, journal);
        var other = started(bed, "B " + b.substring(0, SHORT), jarOfB, mongo, configuration, data, journal);
        var notes = new ArrayList<String>();
        var subjects = List.of(baseline, other);
        subjects.forEach(subject -> notes.add(memory(subject, "the first seconds")));
        for (var kind : work.kinds) {
            try {
                for (var subject : subjects) {
                    bed.verify(subject, mongo, work.operation(kind, data).get());
                }
            } catch (IOException e) {
                if (kind != WorkOptions.Kind.transfer) { // which older builds do not have
                    throw e;
                }
                notes.add(kind + " is left out: " + e.getMessage());
                continue;
            }
            for (var repetition = 1; repetition <= run.repetitions; repetition++) {
                for (var level : clients) {
                    for (var subject : subjects) {
                        journal.measure(subject, work.operation(kind, data).get(), level, repetition, run.window());
                    }
                }
            }
        }
        subjects.forEach(subject -> notes.add(memory(subject, "all operations")));
        notes.addAll(Ratios.of(journal.rows(), baseline.name()));
        notes.addAll(Ratios.cpuPerLevel(journal.rows(), "gateway", other.name(), baseline.name()));
        notes.forEach(System.out::println);
        notes.add("Behind each ratio, in brackets, the smallest and the largest of the repetitions: a range that"
                + " includes 1 shows no difference.");
        return new Findings(
                "compare",
                "Is " + other.name() + " faster or slower than " + baseline.name() + "?",
                "clients",
                baseline.name(),
                Map.of("documents", work.documents.description(), "configuration of the newer", configuration),
                journal,
                List.copyOf(notes));
    }

    private static String memory(HttpSubject subject, String after) {
        return subject.name() + ": started in " + subject.startMillis() + " ms; resident memory after " + after + ": "
                + subject.residentBytes() / 1_000_000 + " MB";
    }

    /// Starts a build and measures its first seconds, when nothing is compiled yet.
    private HttpSubject started(
            TestBed bed, String name, Path jar, Mongo mongo, String overrides, Dataset data, Journal journal)
            throws Exception {
        var gateway = bed.gateway(name, jar, mongo, overrides);
        var read = work.operation(WorkOptions.Kind.read, data).get();
        for (int second = 0; second < firstSeconds; second += FIRST_STEP_SECONDS) {
            var measured = gateway.measure(read, clients.getFirst(), Window.seconds(0, FIRST_STEP_SECONDS));
            journal.add(new Row(
                    "read by id, second " + (second + 1) + " and " + (second + 2),
                    name,
                    clients.getFirst(),
                    1,
                    measured));
        }
        return gateway;
    }
}
