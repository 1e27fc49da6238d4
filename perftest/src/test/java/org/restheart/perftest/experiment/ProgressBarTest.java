package org.restheart.perftest.experiment;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class ProgressBarTest {
    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();

    private ProgressBar bar(boolean terminal) {
        return new ProgressBar(new PrintStream(shown, true, UTF_8), terminal);
    }

    @Test
    void a_terminal_shows_a_bar_that_is_gone_at_the_end() {
        var bar = bar(true);
        bar.show(0.25);
        assertThat(shown.toString(UTF_8)).endsWith("[##########..............................]  25 %");
        bar.show(1);
        assertThat(shown.toString(UTF_8)).endsWith("\r\033[K");
    }

    @Test
    void a_file_is_not_filled_with_bars() {
        var bar = bar(false);
        bar.show(0.25);
        bar.show(0.5);
        bar.show(1);
        assertThat(shown.size()).isZero();
    }
}
