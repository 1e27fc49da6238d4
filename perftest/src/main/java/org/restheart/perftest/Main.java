package org.restheart.perftest;

import org.restheart.perftest.deploy.NullServer;
import org.restheart.perftest.experiment.CoalescingExperiment;
import org.restheart.perftest.experiment.CompareExperiment;
import org.restheart.perftest.experiment.DeepExperiment;
import org.restheart.perftest.experiment.DoorsExperiment;
import org.restheart.perftest.experiment.LineupExperiment;
import org.restheart.perftest.experiment.NotificationsExperiment;
import org.restheart.perftest.experiment.OverloadExperiment;
import org.restheart.perftest.experiment.RulesExperiment;
import org.restheart.perftest.experiment.YcsbExperiment;
import org.restheart.perftest.listen.ListenProcess;
import org.restheart.perftest.load.Worker;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/// `./perftest/run`: one subcommand per experiment.
@Command(
        name = "perftest/run",
        description = {
            "Measures RESTHeart beside the plain MongoDB driver, on this machine.",
            "Results go to perftest/results/<date>-<commit>/ as JSON and Markdown."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        subcommands = {
            CoalescingExperiment.class,
            DeepExperiment.class,
            RulesExperiment.class,
            DoorsExperiment.class,
            NotificationsExperiment.class,
            OverloadExperiment.class,
            YcsbExperiment.class,
            LineupExperiment.class,
            CompareExperiment.class,
            Worker.WorkerProcess.class,
            ListenProcess.class,
            NullServer.class
        })
public final class Main {
    private Main() {}

    /// With all experiments as its subcommands.
    public static Object command() {
        return new Main();
    }

    public static void main(String[] arguments) {
        System.exit(new CommandLine(command())
                .setOverwrittenOptionsAllowed(true)
                .setExecutionExceptionHandler((e, command, _) -> {
                    command.getErr().println("perftest: " + e.getMessage());
                    e.printStackTrace(command.getErr());
                    return 1;
                })
                .execute(arguments));
    }
}
