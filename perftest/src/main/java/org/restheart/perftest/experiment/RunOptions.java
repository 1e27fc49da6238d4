package org.restheart.perftest.experiment;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.restheart.perftest.workload.Window;
import picocli.CommandLine.Option;

/// How long, how often, with what client: the options that all experiments share.
final class RunOptions {
    @Option(names = "--warm-up", description = "Seconds before each recording; default ${DEFAULT-VALUE}.")
    double warmUp = 2;

    @Option(
            names = "--first-warm-up",
            description = "Seconds before the first recording of each subject at each operation, when JITs are cold; "
                    + "default ${DEFAULT-VALUE}.")
    double firstWarmUp = 25;

    @Option(names = "--seconds", description = "Seconds recorded, whole ones; default ${DEFAULT-VALUE}.")
    double seconds = 5;

    @Option(names = "--repetitions", description = "Rounds over all subjects; default ${DEFAULT-VALUE}.")
    int repetitions = 3;

    @Option(names = "--client-threads", description = "Threads of wrk; default ${DEFAULT-VALUE}.")
    int clientThreads = 1;

    @Option(names = "--seed", description = "Of everything random; default ${DEFAULT-VALUE}.")
    long seed = 42;

    @Option(names = "--results", description = "Default ${DEFAULT-VALUE}.")
    Path results = Path.of("perftest/results");

    Window window() {
        return Window.seconds(warmUp, seconds);
    }

    /// For so many measurements in all.
    Journal journal(int expected) {
        return new Journal(expected, Math.round(firstWarmUp * 1000));
    }

    Map<String, String> settings() {
        var settings = new LinkedHashMap<String, String>();
        settings.put(
                "first warm-up, warm-up, recorded, repetitions",
                firstWarmUp + " s, " + warmUp + " s, " + seconds + " s, " + repetitions);
        settings.put(
                "load client",
                "wrk, HTTP/1.1 keep-alive, " + clientThreads + " thread(s), closed loop, on the same machine");
        settings.put("seed", Long.toString(seed));
        return settings;
    }
}
