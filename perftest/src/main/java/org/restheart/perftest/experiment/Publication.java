package org.restheart.perftest.experiment;

import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.restheart.perftest.measure.Machine;
import org.restheart.perftest.report.Commit;
import org.restheart.perftest.report.Report;
import org.restheart.perftest.report.Results;

/// Puts a finished journal into the results folder. Takes the machine's facts when it is made: before the measurements.
final class Publication {
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
    int publish(Findings findings, Map<String, String> started) throws IOException, InterruptedException {
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
                Commit.here(),
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
        var file = Path.of(
                        type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .getFileName();
        return String.valueOf(file).replaceAll("\\.jar$", "");
    }

    /// How this run was called, without its secrets.
    private static final class CommandText {
        private CommandText() {}

        static String ofThisProcess() {
            return withoutSecrets(System.getProperty("sun.java.command", "").replaceFirst("^\\S+", "./perftest/run"));
        }

        static String withoutSecrets(String command) {
            return command.replaceAll("(--credentials[ =])\\S+", "$1…")
                    .replaceAll("(mongodb(\\+srv)?://)[^@\\s]*@", "$1…@");
        }
    }
}
