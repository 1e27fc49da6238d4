package org.restheart.perftest.experiment;

import java.io.IOException;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Window;

/// Something that can be measured doing an operation.
interface Subject {

    String name();

    /// Does the operation again and again, and tells what it showed.
    ///
    /// @param concurrency connections of wrk, threads of a driver
    Measurement measure(Operation operation, int concurrency, Window window) throws IOException, InterruptedException;
}
