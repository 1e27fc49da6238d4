package org.restheart.perftest.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.restheart.perftest.Main;
import picocli.CommandLine;

class HelpTest {
    private static final Set<String> NO_EXPERIMENTS = Set.of("load", "render");

    @Test
    void every_experiment_says_how_long_it_takes() {
        var experiments = new CommandLine(Main.command())
                .getSubcommands().values().stream()
                        .filter(command ->
                                !command.getCommandSpec().usageMessage().hidden())
                        .filter(command -> !NO_EXPERIMENTS.contains(command.getCommandName()))
                        .toList();
        assertThat(experiments)
                .hasSizeGreaterThan(10)
                .allSatisfy(command -> assertThat(command.getUsageMessage())
                        .as(command.getCommandName())
                        .containsPattern("Takes [a-z ]*minutes"));
    }
}
