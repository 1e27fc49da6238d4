package org.restheart.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/// Commands as the reader of a page runs them.
public final class Shell {
    private Shell() {}

    /// Runs them with bash; each must succeed.
    ///
    /// @return what they print
    public static String run(Path directory, String commands) throws IOException, InterruptedException {
        var process = new ProcessBuilder("bash", "-euo", "pipefail", "-c", commands)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }
}
