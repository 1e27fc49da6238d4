package org.restheart.perftest.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.restheart.perftest.Main;
import picocli.CommandLine;

class HelpTest {
    @Test
    void every_experiment_says_how_long_it_takes() {
        var experiments = new CommandLine(Main.command())
                .getSubcommands().values().stream()
                        .filter(command ->
                                !command.getCommandSpec().usageMessage().hidden())
                        .toList();
        assertThat(experiments)
                .hasSizeGreaterThan(5)
                .allSatisfy(command -> assertThat(command.getUsageMessage())
                        .as(command.getCommandName())
                        .containsPattern("Takes [a-z ]*minutes"));
    }
}
