package org.restheart.perftest.experiment;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// What every experiment does: takes the machine's facts, starts what is measured, measures, ends it all, publishes.
@Command(mixinStandardHelpOptions = true, sortOptions = false)
abstract class Experiment implements Callable<Integer> {
    @Mixin
    RunOptions run = new RunOptions();

    @Mixin
    TargetOptions target = new TargetOptions();

    @Override
    public final Integer call() throws Exception {
        var publication = new Publication(run, target);
        try (var lab = new Lab(run, target)) {
            return publication.publish(measure(lab), lab.settings());
        }
    }

    /// @param lab closed by the caller
    abstract Findings measure(Lab lab) throws Exception;
}
