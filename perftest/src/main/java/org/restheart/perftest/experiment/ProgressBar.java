package org.restheart.perftest.experiment;

import java.io.Console;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Optional;

/// Shows how far one measurement is: a bar that redraws itself on a terminal; elsewhere, such as in a file, a
/// line every half minute. Not thread-safe.
final class ProgressBar {
    private static final int WIDTH = 40;
    private static final long HALF_MINUTE = 30_000_000_000L;
    private static final String TO_LINE_START_AND_CLEAR = "\r\033[K";

    private final PrintStream out;
    private final boolean terminal;
    private long lastLine = System.nanoTime();

    ProgressBar(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    static ProgressBar onStandardOutput() {
        var terminal =
                Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
        return new ProgressBar(System.out, terminal);
    }

    /// @param done from 0 to 1; 1 takes the bar away
    void show(double done) {
        if (terminal) {
            out.print(TO_LINE_START_AND_CLEAR + (done < 1 ? bar(done) : ""));
            out.flush();
        } else if (done >= 1) {
            lastLine = System.nanoTime();
        } else if (System.nanoTime() - lastLine > HALF_MINUTE) {
            lastLine = System.nanoTime();
            out.println(bar(done));
        }
    }

    static String bar(double done) {
        var full = (int) Math.round(done * WIDTH);
        return String.format(Locale.ROOT, "  [%s%s] %3.0f %%", "#".repeat(full), ".".repeat(WIDTH - full), done * 100);
    }
}
