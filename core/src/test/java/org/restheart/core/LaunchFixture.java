package org.restheart.core;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.core.Launch.Outcome;

/// A command line in a folder of its own, with its output.
abstract class LaunchFixture {
    @TempDir
    Path folder;

    final ByteArrayOutputStream out = new ByteArrayOutputStream();
    final ByteArrayOutputStream err = new ByteArrayOutputStream();

    /// Besides RHO.
    Map<String, String> environment = Map.of();

    final Outcome launch(String rho, String... args) {
        var variables = new HashMap<>(environment);
        variables.put("RHO", rho);
        return new Launch(
                        variables,
                        folder,
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8),
                        Instant.now())
                .run(args);
    }

    final int exitCode(String rho, String... args) {
        return switch (launch(rho, args)) {
            case Outcome.Done(int exitCode) -> exitCode;
            case Outcome.Running(var server) -> {
                server.close();
                throw new AssertionError("the server has started");
            }
        };
    }

    final String out() {
        return out.toString(UTF_8);
    }

    final String err() {
        return err.toString(UTF_8);
    }

    final Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }
}
