package org.restheart.core;

import java.lang.management.ManagementFactory;
import java.time.Instant;
import org.restheart.core.logging.LogSetup;

/// The entry point of the process.
public final class Main {
    private Main() {}

    /// Starts the server, or prints what was asked for and exits; see `--help`.
    public static void main(String[] args) {
        // The start of this JVM, not of the process: a start script may have built the jar before it replaced itself by
        // this JVM.
        var began = Instant.ofEpochMilli(ManagementFactory.getRuntimeMXBean().getStartTime());
        var launch = new Launch(System.getenv(), PidFile.standardDirectory(), System.out, System.err, began);
        switch (launch.run(args)) {
            case Launch.Outcome.Done(int exitCode) -> System.exit(exitCode);
            case Launch.Outcome.Running(var server) -> {
                Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server), "stop"));
                HangupSignal.run(server::reload);
            }
        }
    }

    private static void stop(RunningServer server) {
        try {
            server.close();
        } finally {
            LogSetup.flush();
        }
    }
}
