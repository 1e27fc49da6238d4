package org.restheart.perftest;

import org.restheart.perftest.deploy.NullServer;
import org.restheart.perftest.deploy.PlainGraphql;
import org.restheart.perftest.experiment.AuthenticatedExperiment;
import org.restheart.perftest.experiment.CeilingExperiment;
import org.restheart.perftest.experiment.CoalescingExperiment;
import org.restheart.perftest.experiment.CompareExperiment;
import org.restheart.perftest.experiment.DeepExperiment;
import org.restheart.perftest.experiment.DoorsExperiment;
import org.restheart.perftest.experiment.FilesExperiment;
import org.restheart.perftest.experiment.GatewaysExperiment;
import org.restheart.perftest.experiment.GrowingExperiment;
import org.restheart.perftest.experiment.InsertsExperiment;
import org.restheart.perftest.experiment.InstrumentsExperiment;
import org.restheart.perftest.experiment.LimitsExperiment;
import org.restheart.perftest.experiment.LineupExperiment;
import org.restheart.perftest.experiment.LoadCommand;
import org.restheart.perftest.experiment.LoginsExperiment;
import org.restheart.perftest.experiment.NotificationsExperiment;
import org.restheart.perftest.experiment.OverloadExperiment;
import org.restheart.perftest.experiment.QueriesExperiment;
import org.restheart.perftest.experiment.RenderCommand;
import org.restheart.perftest.experiment.RulesExperiment;
import org.restheart.perftest.experiment.YcsbExperiment;
import org.restheart.perftest.listen.ListenProcess;
import org.restheart.perftest.worker.WorkerProcess;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/// `./perftest/run`: one subcommand per experiment.
@Command(
        name = "perftest/run",
        description = {
            "Measures RESTHeart beside the plain MongoDB driver, on this machine.",
            "Results go to perftest/results/<date>-<commit>/ as JSON, Markdown and plots."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        subcommands = {
            CeilingExperiment.class,
            CoalescingExperiment.class,
            InsertsExperiment.class,
            QueriesExperiment.class,
            FilesExperiment.class,
            DeepExperiment.class,
            GrowingExperiment.class,
            AuthenticatedExperiment.class,
            RulesExperiment.class,
            DoorsExperiment.class,
            LoginsExperiment.class,
            NotificationsExperiment.class,
            OverloadExperiment.class,
            LimitsExperiment.class,
            GatewaysExperiment.class,
            YcsbExperiment.class,
            LineupExperiment.class,
            InstrumentsExperiment.class,
            CompareExperiment.class,
            LoadCommand.class,
            RenderCommand.class,
            WorkerProcess.class,
            ListenProcess.class,
            NullServer.class,
            PlainGraphql.class
        })
public final class Main {
    private Main() {}

    /// With all experiments as its subcommands.
    public static Object command() {
        return new Main();
    }

    public static void main(String[] arguments) {
        System.setProperty("java.awt.headless", "true");
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
