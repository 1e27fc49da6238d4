package org.restheart.core.transfer;

import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The commands of clients: `import` and `export`, which copy documents between files and a collection of a gateway,
/// and `apply`, which makes a gateway as the files of a folder say. Confined to one thread.
public final class Transfer {
    /// The exit code if documents were refused; all others were copied.
    public static final int REFUSED = 1;

    /// The exit code of an incomplete transfer, which the same command resumes.
    public static final int FAILED = 2;

    private static final List<String> COMMANDS = List.of("import", "export", "apply");

    private final Map<String, String> environment;
    private final PrintStream out;
    private final PrintStream err;

    /// @param environment may contain credentials
    public Transfer(Map<String, String> environment, PrintStream out, PrintStream err) {
        this.environment = environment;
        this.out = out;
        this.err = err;
    }

    /// Whether the arguments are those of one of these commands.
    public static boolean isFor(String... args) {
        return args.length > 0 && COMMANDS.contains(args[0]);
    }

    /// @return the exit code
    public int run(String... args) {
        Callable<Integer> command = switch (args[0]) {
            case "import" -> new ImportCommand(environment, err);
            case "export" -> new ExportCommand(environment, err);
            default -> new ApplyCommand(environment, out, err);
        };
        var line = new CommandLine(command)
                .setOut(new PrintWriter(out, true, out.charset()))
                .setErr(new PrintWriter(err, true, err.charset()))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((failure, _, _) -> failed(failure));
        return line.execute(List.of(args).subList(1, args.length).toArray(String[]::new));
    }

    private int failed(Exception failure) {
        switch (failure) {
            case Failure e -> err.println("ERROR " + e.getMessage());
            case NoSuchFileException e -> err.println("ERROR there is no file " + e.getMessage());
            case IOException e -> err.println("ERROR " + e);
            default -> err.println("ERROR unexpected: " + failure);
        }
        return FAILED;
    }

    /// A command cannot continue; the message is shown to the user.
    static final class Failure extends RuntimeException {
        Failure(String message) {
            super(message);
        }
    }

    /// The gateway, the format and the output of a command. Confined to one thread.
    @Command(mixinStandardHelpOptions = true, sortOptions = false)
    abstract static class TransferCommand implements Callable<Integer> {
        @Mixin
        GatewayClient gateway;

        @Parameters(
                index = "0",
                paramLabel = "URL",
                converter = GatewayClient.Address.class,
                description = "The collection.")
        void url(URI url) {
            gateway.url(url);
        }

        @Option(names = "--format", description = "${COMPLETION-CANDIDATES}; else by the name of the file.")
        private @Nullable FileFormat format;

        final PrintStream err;

        TransferCommand(Map<String, String> environment, PrintStream err) {
            this.err = err;
            this.gateway = new GatewayClient(environment, err);
        }

        final FileFormat format(Path file) {
            return format == null ? FileFormat.of(file.toString()) : format;
        }
    }

    /// Prints the progress of a transfer: on a terminal by rewriting one line, otherwise as a new line at
    /// intervals. Confined to one thread.
    static final class Progress {
        private static final int BAR = 24;

        private final PrintStream err;
        private final boolean terminal;
        private final Duration interval;
        private final Instant began = Instant.now();
        private final long before;
        private Instant shown = Instant.MIN;

        /// @param before documents of earlier runs, which are not included in the rate
        Progress(PrintStream err, long before) {
            this.err = err;
            this.terminal = Optional.ofNullable(System.console())
                    .filter(Console::isTerminal)
                    .isPresent();
            this.interval = terminal ? Duration.ofMillis(200) : Duration.ofSeconds(10);
            this.before = before;
        }

        /// @param share the completed share, from 0 to 1; negative if it is unknown
        void show(long documents, double share) {
            var now = Instant.now();
            if (now.isAfter(shown.plus(interval))) {
                shown = now;
                err.print((terminal ? "\r" : "") + text(documents, share) + (terminal ? "  " : "\n"));
                err.flush();
            }
        }

        /// @param rest text after the numbers
        void end(long documents, String rest) {
            err.println((terminal ? "\r" : "") + text(documents, 1) + rest);
        }

        private String text(long documents, double share) {
            double seconds =
                    Math.max(0.001, Duration.between(began, Instant.now()).toMillis() / 1000.0);
            var rate = "%,d documents, %,.0f/s".formatted(documents, (documents - before) / seconds);
            if (share < 0) {
                return rate;
            }
            int full = (int) Math.round(Math.min(1, share) * BAR);
            return "[%s%s] %3.0f %% %s"
                    .formatted("#".repeat(full), ".".repeat(BAR - full), Math.min(1, share) * 100, rate);
        }
    }
}
