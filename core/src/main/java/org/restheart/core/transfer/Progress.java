package org.restheart.core.transfer;

import java.io.Console;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// Prints the progress of a transfer: on a terminal by rewriting one line, otherwise as a new line at
/// intervals. Confined to one thread.
final class Progress {
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
        double seconds = Math.max(0.001, Duration.between(began, Instant.now()).toMillis() / 1000.0);
        var rate = "%,d documents, %,.0f/s".formatted(documents, (documents - before) / seconds);
        if (share < 0) {
            return rate;
        }
        int full = (int) Math.round(Math.min(1, share) * BAR);
        return "[%s%s] %3.0f %% %s".formatted("#".repeat(full), ".".repeat(BAR - full), Math.min(1, share) * 100, rate);
    }
}
