package org.restheart.perftest.experiment;

import java.io.IOException;
import java.util.Map;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.driver.DriverLoad;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.worker.Task;
import org.restheart.perftest.worker.Worker;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Window;

/// The plain driver in a worker process.
record DriverSubject(String name, Worker worker, Mongo mongo, long seed) implements Subject {

    @Override
    public Measurement measure(Operation operation, int concurrency, Window window) throws IOException {
        var load = new DriverLoad(mongo.connectionString(), operation, concurrency, window, seed);
        return worker.run(new Task.Driver(load, Map.of("mongod", mongo.pid())));
    }
}
