package org.restheart.core;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Sources;
import org.restheart.text.Nearest;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The command line. Confined to the thread that parses it.
@Command(
        name = "java -jar restheart.jar",
        description = "A REST gateway for MongoDB.",
        sortOptions = false,
        footer = {
            "",
            "As a client, with options of their own: import URL FILE, export URL FILE, apply FOLDER.",
            "",
            "Environment: RESTHEART_CONF_FILE is CONF_FILE when there is none;",
            "RHO_FILE is -o; RHO holds overrides, such as",
            "RHO='/http-listener/port -> 9090; /core/name -> \"node-1\"'."
        })
final class CommandLineArguments {
    private static final String EMBEDDED = "--embedded-mongo";
    private static final String DATA_DIRECTORY = "restheart-data";

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "CONF_FILE",
            description = "YAML configuration; replaces the built-in one.")
    private @Nullable Path file;

    @Option(
            names = {"-o", "--rho"},
            paramLabel = "FILE",
            description = "Overrides of the configuration, as YAML, JSON or .conf.")
    private @Nullable Path overrides;

    @Option(
            names = {"-s", "--standalone"},
            description = "Start without MongoDB.")
    private boolean standalone;

    @Option(names = "--mongo", paramLabel = "URI", description = "MongoDB connection string to use.")
    private @Nullable String mongo;

    @Option(names = "--port", paramLabel = "N", description = "Port of the HTTP listener.")
    private @Nullable Integer port;

    @Option(
            names = EMBEDDED,
            paramLabel = "DIR",
            arity = "0..1",
            description = "Start a mongod with its data in DIR (" + DATA_DIRECTORY + "), and use it.")
    private @Nullable Path embedded;

    @Option(
            names = {"-c", "--printConfiguration", "--print-config"},
            description = "Print the effective configuration, secrets masked, and exit.")
    boolean printsConfiguration;

    @Option(names = "--show-secrets", description = "With -c: print secrets in clear text.")
    boolean showsSecrets;

    @Option(
            names = {"-t", "--printConfigurationTemplate"},
            description = "Print the built-in configuration with its comments and exit.")
    boolean printsTemplate;

    @Option(names = "--check", description = "Check the configuration strictly and exit; 0 if nothing is wrong.")
    boolean checks;

    @Option(
            names = "--reset-admin",
            description = "Make the account admin, or give it a new password and the root role, print these and exit.")
    boolean resetsAdmin;

    @Option(
            names = {"-v", "--version"},
            description = "Print version and build time and exit.")
    boolean printsVersion;

    @Option(
            names = {"-h", "--help"},
            description = "Print this and exit.")
    boolean helps;

    /// Reads the arguments.
    ///
    /// @throws CommandLine.ParameterException saying which one is wrong
    static CommandLineArguments parse(String... args) {
        var arguments = new CommandLineArguments();
        var commandLine = new CommandLine(arguments);
        refuseUnclearDirectory(commandLine, args);
        // Without = the directory could not be distinguished from CONF_FILE.
        commandLine.parseArgs(Arrays.stream(args)
                .map(arg -> arg.equals(EMBEDDED) ? EMBEDDED + "=" + DATA_DIRECTORY : arg)
                .toArray(String[]::new));
        arguments.refuseContradictions(commandLine);
        return arguments;
    }

    /// Refuses a directory behind a blank, which would be taken for CONF_FILE, and an empty one, such as that of a
    /// variable of the shell that is not set.
    private static void refuseUnclearDirectory(CommandLine commandLine, String... args) {
        for (int i = 0; i < args.length; i++) {
            var next = i + 1 < args.length ? args[i + 1] : "-";
            if (args[i].equals(EMBEDDED) && !next.startsWith("-") && !isConfiguration(next)) {
                throw new CommandLine.ParameterException(
                        commandLine,
                        "the directory comes after =: " + EMBEDDED + "=" + (next.isBlank() ? "DIR" : next));
            }
            if (args[i].startsWith(EMBEDDED + "=")
                    && args[i].substring(EMBEDDED.length() + 1).isBlank()) {
                throw new CommandLine.ParameterException(
                        commandLine, EMBEDDED + "= names no directory; without = it is " + DATA_DIRECTORY);
            }
        }
    }

    private static boolean isConfiguration(String argument) {
        return argument.endsWith(".yml") || argument.endsWith(".yaml") || Files.isRegularFile(Path.of(argument));
    }

    private void refuseContradictions(CommandLine commandLine) {
        int databases = (standalone ? 1 : 0) + (mongo == null ? 0 : 1) + (embedded == null ? 0 : 1);
        if (databases > 1) {
            throw new CommandLine.ParameterException(
                    commandLine, "--standalone, --mongo and " + EMBEDDED + " exclude each other");
        }
        if (standalone && file != null) {
            throw new CommandLine.ParameterException(
                    commandLine,
                    "--standalone takes the built-in configuration, not CONF_FILE; a file that starts without MongoDB has"
                            + " mclient: {enabled: false} and mongo: {enabled: false}");
        }
        if (port != null && (port < 0 || port > 65535)) {
            throw new CommandLine.ParameterException(commandLine, "--port must be from 0 to 65535");
        }
    }

    /// The message of a refusal, with the nearest option if an unknown one is refused.
    static String message(CommandLine.ParameterException refusal) {
        if (refusal instanceof CommandLine.UnmatchedArgumentException unmatched
                && unmatched.isUnknownOption()
                && !unmatched.getUnmatched().isEmpty()) {
            var option = unmatched.getUnmatched().getFirst().replaceFirst("=.*", "");
            var known = refusal.getCommandLine().getCommandSpec().optionsMap().keySet();
            return refusal.getMessage()
                    + (option.length() == 2 ? abbreviated(option, known) : Nearest.question(option, known));
        }
        if (refusal instanceof CommandLine.UnmatchedArgumentException) {
            return refusal.getMessage() + "; there is one CONF_FILE, and import, export and apply come before all else";
        }
        return String.valueOf(refusal.getMessage());
    }

    /// The options of which a letter may be an abbreviation: all letters are similar to each other.
    private static String abbreviated(String letter, Set<String> known) {
        var meant = known.stream()
                .filter(name -> name.startsWith("-" + letter))
                .sorted()
                .toList();
        return meant.isEmpty() ? "" : "; did you mean " + String.join(" or ", meant) + "?";
    }

    static String usage() {
        return new CommandLine(new CommandLineArguments()).getUsageMessage();
    }

    /// The sources of the configuration, given this command line and this environment.
    Sources sources(Map<String, String> environment) {
        var sources = Sources.of(environment);
        if (standalone) {
            sources = sources.withStandalone();
        }
        if (file != null) {
            sources = sources.withFile(file);
        }
        if (overrides != null) {
            sources = sources.withOverrides(overrides);
        }
        if (port != null) {
            sources = sources.withPort(port);
        }
        return mongo == null ? sources : sources.withMongo(mongo);
    }

    /// The data directory of the mongod to start, if one is to be started.
    Optional<Path> embedded() {
        return Optional.ofNullable(embedded);
    }
}
