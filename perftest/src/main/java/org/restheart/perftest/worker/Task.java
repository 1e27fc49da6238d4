package org.restheart.perftest.worker;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.io.IOException;
import java.util.Map;
import org.restheart.perftest.driver.DriverLoad;
import org.restheart.perftest.load.HttpLoad;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.measure.Recording;
import org.restheart.perftest.ycsb.YcsbLoad;

/// What a worker can be asked to do.
@JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
public sealed interface Task {

    /// The name of the worker's own process in [org.restheart.perftest.measure.CpuUse].
    String CLIENT = "client";

    /// Other processes whose CPU time is to be read, by name.
    Map<String, Long> watch();

    default Measurement run(Recording recording) throws IOException, InterruptedException {
        return switch (this) {
            case Http(var load, var _) -> load.run(recording);
            case Driver(var load, var _) -> load.run(recording);
            case Ycsb(var load, var _) -> load.run(recording);
        };
    }

    record Http(HttpLoad load, Map<String, Long> watch) implements Task {}

    record Driver(DriverLoad load, Map<String, Long> watch) implements Task {}

    record Ycsb(YcsbLoad load, Map<String, Long> watch) implements Task {}
}
