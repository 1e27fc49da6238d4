package org.restheart.perftest.experiment;

import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
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
        var publication = new Publication(run, target);
        try (var bed = new TestBed(run, target)) {
            return publication.publish(measure(bed), bed.settings());
        }
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

    /// Puts a finished journal into the results folder. Takes the machine's facts when it is made: before the
    /// measurements.
    static final class Publication {
        private final RunOptions run;
        private final TargetOptions target;
        private final Instant startedAt = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        private final Machine machine = Machine.here();

        Publication(RunOptions run, TargetOptions target) {
            this.run = run;
            this.target = target;
        }

        /// Writes the report and says where it is.
        ///
        /// @param started what was started for it
        /// @return the exit code
        int publish(Experiment.Findings findings, Map<String, String> started)
                throws IOException, InterruptedException {
            var journal = findings.journal();
            var own = new TreeMap<>(started);
            own.putAll(findings.settings());
            var settings = new LinkedHashMap<>(own);
            settings.put("Java driver", library(MongoClients.class));
            // what an experiment says of itself is truer than what holds for most of them
            run.settings().forEach(settings::putIfAbsent);
            target.settings().forEach(settings::putIfAbsent);
            var report = new Report(
                    findings.experiment(),
                    findings.question(),
                    startedAt.toString(),
                    journal.minutes(),
                    Build.commitHere(),
                    CommandText.ofThisProcess(),
                    machine,
                    settings,
                    findings.levelName(),
                    findings.baseline(),
                    journal.rows(),
                    findings.notes());
            System.out.println("results: " + new Results(run.results).write(report));
            return 0;
        }

        /// The file that a class comes from, which says its version, without its ending.
        static String library(Class<?> type) {
            var file = Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .getPath())
                    .getFileName();
            return String.valueOf(file).replaceAll("\\.jar$", "");
        }

        /// How this run was called, without its secrets.
        private static final class CommandText {
            private CommandText() {}

            static String ofThisProcess() {
                return withoutSecrets(
                        System.getProperty("sun.java.command", "").replaceFirst("^\\S+", "./perftest/run"));
            }

            static String withoutSecrets(String command) {
                return command.replaceAll("(--credentials[ =])\\S+", "$1…")
                        .replaceAll("(mongodb(\\+srv)?://)[^@\\s]*@", "$1…@");
            }
        }
    }
}
