package org.restheart.core;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.restheart.core.config.ConfigException;
import org.restheart.core.config.Configuration;
import org.restheart.core.config.Finding;
import org.restheart.core.config.Finding.Level;
import org.restheart.core.config.Sources;
import org.restheart.core.logging.LogSetup;
import org.restheart.core.plugins.Plugins;
import org.restheart.core.server.StartException;
import org.restheart.core.server.UndertowListener;
import org.restheart.core.service.BuildInfo;
import org.restheart.core.transfer.Transfer;
import picocli.CommandLine;

/// Starts the server, or performs another action that the command line requests. Never exits the process, so that tests
/// can call it. Confined to the thread that starts the server.
record Launch(Map<String, String> environment, Path pidDirectory, PrintStream out, PrintStream err, Instant began) {
    // The exit codes: the negative numbers of the documentation modulo 256, as a shell reports them.
    private static final int OK = 0;

    private static final int USAGE = 1;

    private static final int CONFIGURATION = 255;

    /// The server could not start, for example because the port is taken.
    private static final int START = 254;

    sealed interface Outcome {
        /// The process can exit.
        record Done(int exitCode) implements Outcome {}

        /// The server runs until it is closed.
        record Running(RunningServer server) implements Outcome {}
    }

    Outcome run(String... args) {
        if (Transfer.isFor(args)) {
            return new Outcome.Done(new Transfer(environment, out, err).run(args));
        }
        CommandLineArguments arguments;
        try {
            arguments = CommandLineArguments.parse(args);
        } catch (CommandLine.ParameterException e) {
            out.print(CommandLineArguments.usage());
            out.println();
            out.println(CommandLineArguments.message(e)); // last, where a terminal shows it
            return new Outcome.Done(USAGE);
        }
        try {
            return run(arguments);
        } catch (ConfigException e) {
            e.findings().forEach(finding -> err.println("ERROR " + finding));
            return new Outcome.Done(CONFIGURATION);
        } catch (RunningServer.StartFailure e) {
            err.println("ERROR " + e.getMessage());
            return new Outcome.Done(START);
        }
    }

    private Outcome run(CommandLineArguments arguments) throws RunningServer.StartFailure {
        if (arguments.helps) {
            out.print(CommandLineArguments.usage());
        } else if (arguments.printsVersion) {
            out.println(version());
        } else if (arguments.printsTemplate) {
            out.print(Configuration.template());
        } else {
            refuseMisspeltVariables();
            var sources = arguments.sources(environment);
            if (arguments.printsConfiguration) {
                print(sources, arguments.showsSecrets);
            } else {
                return arguments.checks
                        ? check(sources)
                        : arguments.resetsAdmin
                                ? resetAdmin(sources, arguments)
                                : new Outcome.Running(
                                        RunningServer.start(sources, arguments.embedded(), pidDirectory, out, began));
            }
        }
        return new Outcome.Done(OK);
    }

    /// A variable that nothing reads would let the server start with another configuration than the operator wants.
    private void refuseMisspeltVariables() {
        var misspelt = environment.keySet().stream()
                .filter(name -> !Sources.VARIABLES.contains(name) && !Sources.isOfKey(name))
                .filter(name -> name.startsWith("RESTHEART_CONF")
                        || name.startsWith("RESTHEART_ADMIN")
                        || ((name.startsWith("RHO_") || name.startsWith("RESTHEART_"))
                                && Sources.nearestVariable(name).isPresent()))
                .sorted()
                .map(name -> new Finding(
                        Level.REFUSED,
                        "",
                        "the environment variable " + name + " has no effect"
                                + (name.startsWith("RESTHEART_CONF")
                                        ? "; did you mean RESTHEART_CONF_FILE?"
                                        : Sources.nearestVariable(name)
                                                .map(near -> "; did you mean " + near + "?")
                                                .orElse(""))))
                .toList();
        if (!misspelt.isEmpty()) {
            throw new ConfigException(misspelt);
        }
    }

    private static String version() {
        var build = BuildInfo.load();
        var time = build.time().replace('T', ' ').replace("Z", "");
        return "RESTHeart Version " + build.version() + " Build-Time " + time + " UTC";
    }

    private void print(Sources sources, boolean showSecrets) {
        var configuration = Configuration.load(sources);
        report(configuration.read().findings());
        out.print(configuration.print(showSecrets));
    }

    private Outcome check(Sources sources) {
        var configuration = Configuration.load(sources);
        var parsed = configuration.read();
        var findings = new ArrayList<>(parsed.findings());
        findings.addAll(configuration.strictFindings());
        findings.forEach(finding -> report(finding, failsCheck(finding)));
        long bad = findings.stream().filter(Launch::failsCheck).count();
        var mclient = parsed.config().mclient();
        bad += problems(() -> UndertowListener.check(parsed.config().https()));
        var ofPlugins = new ArrayList<Finding>();
        if (bad == 0 && parsed.config().plugins().mayExist()) { // whose blocks they are is not known before
            LogSetup.applyLevels(parsed.config().logging());
            bad += problems(() -> Plugins.check(parsed.config().plugins(), ofPlugins::add));
        }
        ofPlugins.forEach(finding -> report(finding, true));
        bad += ofPlugins.size();
        if (mclient.enabled() && mclient.connectionString().startsWith("mongodb+srv://")) {
            bad += problems(() -> MongoConnection.parse(mclient));
        }
        if (bad > 0) {
            err.println(
                    bad + (bad == 1 ? " problem" : " problems") + " in the configuration: " + configuration.origin());
            return new Outcome.Done(CONFIGURATION);
        }
        out.println("The configuration is good: " + configuration.origin());
        return new Outcome.Done(OK);
    }

    /// 1, if the part of the start fails, and prints why; else 0.
    private int problems(Runnable part) {
        try {
            part.run();
            return 0;
        } catch (StartException e) {
            err.println("ERROR " + e.getMessage());
            return 1;
        }
    }

    private static boolean failsCheck(Finding finding) {
        return finding.level() == Level.REFUSED || finding.level() == Level.SUSPECT;
    }

    private void report(List<Finding> findings) {
        findings.forEach(finding -> report(finding, finding.level() == Level.REFUSED));
    }

    private void report(Finding finding, boolean error) {
        if (finding.level() != Level.DETAIL) {
            err.println((error ? "ERROR " : "WARN  ") + finding);
        }
    }

    private Outcome resetAdmin(Sources sources, CommandLineArguments arguments) throws RunningServer.StartFailure {
        var account = RunningServer.resetAdmin(sources, arguments.embedded());
        out.println("The account " + account.name() + " has the role " + account.role() + " and the password "
                + account.password());
        return new Outcome.Done(OK);
    }
}
