package org.restheart.perftest.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.restheart.perftest.deploy.Build;
import org.restheart.perftest.report.Ratios;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `compare`: the regression guard; two commits built and measured in turn, A B A B.
@Command(
        name = "compare",
        description = "Builds two commits and measures them in turn, A B A B; prints the ratios.",
        footer = "Takes seven minutes, and two for each commit that was not built before.")
public final class CompareExperiment extends Experiment {
    private static final int SHORT = 10;

    @Parameters(index = "0", description = "The older commit, which ratios refer to.")
    String before = "";

    @Parameters(index = "1", description = "The newer commit.")
    String after = "";

    @Mixin
    WorkOptions work = new WorkOptions();

    @Option(names = "--clients", split = ",", description = "Default ${DEFAULT-VALUE}.")
    List<Integer> clients = List.of(128, 1);

    @Override
    Findings measure(TestBed bed) throws Exception {
        var builds = new Build(target.builds);
        var a = Build.resolve(before);
        var b = Build.resolve(after);
        var jarOfA = builds.jar(a);
        var jarOfB = builds.jar(b);
        var mongo = bed.mongo();
        var data = bed.keep(new Dataset(mongo));
        var baseline = bed.gateway("A " + a.substring(0, SHORT), jarOfA, mongo, "");
        var other = bed.gateway("B " + b.substring(0, SHORT), jarOfB, mongo, "");
        var journal = run.journal(work.kinds.size() * run.repetitions * clients.size() * 2)
                .auditedBy(data.inserted());
        for (var kind : work.kinds) {
            bed.verify(baseline, mongo, work.operation(kind, data).get());
            bed.verify(other, mongo, work.operation(kind, data).get());
            for (var repetition = 1; repetition <= run.repetitions; repetition++) {
                for (var level : clients) {
                    journal.measure(baseline, work.operation(kind, data).get(), level, repetition, run.window());
                    journal.measure(other, work.operation(kind, data).get(), level, repetition, run.window());
                }
            }
        }
        var ratios = new ArrayList<>(Ratios.of(journal.rows(), baseline.name()));
        ratios.forEach(System.out::println);
        ratios.add(
                "Behind each ratio, in brackets, the smallest and the largest of the repetitions: a range that includes 1 "
                        + "shows no difference.");
        ratios.addAll(Ratios.cpuPerLevel(journal.rows(), "gateway", other.name(), baseline.name()));
        return new Findings(
                "compare",
                "Is commit " + b.substring(0, SHORT) + " faster or slower than " + a.substring(0, SHORT) + "?",
                "clients",
                baseline.name(),
                Map.of("documents", work.documents.description()),
                journal,
                List.copyOf(ratios));
    }
}
