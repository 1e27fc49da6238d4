package org.restheart.perftest.experiment;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.restheart.perftest.deploy.Build;
import org.restheart.perftest.measure.Machine;
import org.restheart.perftest.report.Report;
import org.restheart.perftest.report.Results;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// What every experiment does: takes the machine's facts, starts what is measured, measures, ends it all, publishes.
@Command(mixinStandardHelpOptions = true, sortOptions = false)
abstract class Experiment implements Callable<Integer> {
    @Mixin
    RunOptions run = new RunOptions();

    @Mixin
    TargetOptions target = new TargetOptions();

    @Override
    public final Integer call() throws Exception {
        var startedAt = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        var machine = Machine.here();
        try (var bed = new TestBed(run, target)) {
            var findings = measure(bed);
            var settings = new TreeMap<>(bed.settings());
            // what an experiment says of itself is truer than what holds for most of them
            settings.putAll(findings.settings());
            run.settings().forEach(settings::putIfAbsent);
            target.settings().forEach(settings::putIfAbsent);
            var report = new Report(
                    findings.experiment(),
                    findings.question(),
                    startedAt.toString(),
                    findings.journal().minutes(),
                    Build.commitHere(),
                    command(),
                    machine,
                    settings,
                    findings.levelName(),
                    findings.baseline(),
                    findings.journal().rows(),
                    findings.notes());
            System.out.println("results: " + new Results(run.results).write(report));
        }
        return 0;
    }

    /// How this run was called, without its secrets.
    private static String command() {
        return System.getProperty("sun.java.command", "")
                .replaceFirst("^\\S+", "./perftest/run")
                .replaceAll("(--credentials[ =])\\S+", "$1…")
                .replaceAll("(mongodb(\\+srv)?://)[^@\\s]*@", "$1…@");
    }

    /// @param bed closed by the caller
    abstract Findings measure(TestBed bed) throws Exception;

    /// What an experiment hands to its report. Immutable.
    ///
    /// @param question in a sentence
    /// @param levelName what its levels count, such as `clients`
    /// @param baseline the subject to which the others are compared
    /// @param settings besides those of the options
    /// @param notes what a reader has to know besides
    record Findings(
            String experiment,
            String question,
            String levelName,
            String baseline,
            Map<String, String> settings,
            Journal journal,
            List<String> notes) {

        /// Of clients beside the driver, without notes.
        static Findings besideDriver(
                String experiment, String question, Map<String, String> settings, Journal journal) {
            return new Findings(experiment, question, "clients", "driver", settings, journal, List.of());
        }

        Findings with(List<String> notes) {
            return new Findings(experiment, question, levelName, baseline, settings, journal, notes);
        }
    }
}
