package org.restheart.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.restheart.perftest.deploy.Build;
import org.restheart.perftest.measure.Machine;

/// Runs the benches with defaults that finish in minutes; JMH's own options replace them.
public final class Main {
    private static final TimeValue HALF_A_SECOND = TimeValue.milliseconds(500);

    private Main() {}

    public static void main(String[] arguments)
            throws CommandLineOptionException, RunnerException, IOException, InterruptedException {
        var given = new CommandLineOptions(arguments);
        if (given.shouldHelp()) {
            given.showHelp();
            return;
        }
        var machine = Machine.here();
        var folder = Path.of("perftest/results", LocalDate.now(ZoneOffset.UTC) + "-" + Build.commitHere());
        Files.createDirectories(folder);
        var name = unused(folder);
        var options = new OptionsBuilder()
                .parent(given)
                .forks(given.getForkCount().orElse(1))
                .warmupIterations(given.getWarmupIterations().orElse(3))
                .warmupTime(given.getWarmupTime().orElse(HALF_A_SECOND))
                .measurementIterations(given.getMeasurementIterations().orElse(5))
                .measurementTime(given.getMeasurementTime().orElse(HALF_A_SECOND))
                .mode(Mode.AverageTime)
                .timeUnit(TimeUnit.NANOSECONDS)
                .jvmArgs("-Xmx512m", "-XX:+UseCompactObjectHeaders", "--sun-misc-unsafe-memory-access=allow")
                .addProfiler(GCProfiler.class)
                .resultFormat(ResultFormatType.JSON)
                .result(folder.resolve(name + ".json").toString())
                .build();
        var results = new Runner(options).run();
        var report = folder.resolve(name + ".md");
        Files.writeString(
                report, new Table(results, machine, Build.commitHere(), String.join(" ", arguments)).markdown());
        System.out.println("results: " + report);
    }

    private static String unused(Path folder) {
        var name = "jmh";
        for (var i = 2; Files.exists(folder.resolve(name + ".json")); i++) {
            name = "jmh-" + i;
        }
        return name;
    }
}
