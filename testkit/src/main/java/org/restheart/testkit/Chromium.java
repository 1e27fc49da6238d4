package org.restheart.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/// The browser of tests: Debian's Chromium, which `etc/chromium.sh` installs where it may.
public final class Chromium {
    private Chromium() {}

    /// The executable. Aborts the test, which then counts as skipped, where there is none and none can be
    /// installed; what the script says of that goes to the log of the build.
    public static Path executable() {
        try {
            var script = new ProcessBuilder("../etc/chromium.sh")
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            var lines = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .strip()
                    .lines()
                    .toList();
            Assumptions.assumeTrue(
                    script.waitFor(10, TimeUnit.MINUTES) && script.exitValue() == 0,
                    "there is no Chromium: apt-get install chromium, or chromium-browser, to run this test");
            return Path.of(lines.getLast());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("the test was stopped", e);
        }
    }
}
