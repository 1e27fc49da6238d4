package org.restheart.perftest.experiment;

import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
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

    int publish(Findings findings) throws IOException, InterruptedException {
        return publish(
                findings.experiment(),
                findings.question(),
                findings.levelName(),
                findings.baseline(),
                findings.settings(),
                findings.journal(),
                findings.notes());
    }

    int publish(
            String experiment,
            String question,
            String levelName,
            String baseline,
            Map<String, String> more,
            Journal journal)
            throws IOException, InterruptedException {
        return publish(experiment, question, levelName, baseline, more, journal, List.of());
    }

    /// Writes the report and says where it is.
    ///
    /// @param more settings besides those of the options
    /// @return the exit code
    int publish(
            String experiment,
            String question,
            String levelName,
            String baseline,
            Map<String, String> more,
            Journal journal,
            List<String> notes)
            throws IOException, InterruptedException {
        var settings = new LinkedHashMap<String, String>(new TreeMap<>(more));
        settings.put("Java driver", Libraries.nameOf(MongoClients.class));
        // what an experiment says of itself is truer than what holds for most of them
        run.settings().forEach(settings::putIfAbsent);
        target.settings().forEach(settings::putIfAbsent);
        var report = new Report(
                experiment,
                question,
                startedAt.toString(),
                journal.minutes(),
                Commit.here(),
                CommandText.ofThisProcess(),
                machine,
                settings,
                levelName,
                baseline,
                journal.rows(),
                notes);
        System.out.println("results: " + new Results(run.results).write(report));
        return 0;
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
