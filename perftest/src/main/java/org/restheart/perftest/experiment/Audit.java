package org.restheart.perftest.experiment;

import java.io.IOException;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.workload.Operation;

/// Verifies afterwards that the measured operations were done.
@FunctionalInterface
interface Audit {
    /// No verification.
    Audit NONE = (_, _) -> {};

    /// @throws IOException when it has not
    void check(Operation operation, Measurement measurement) throws IOException;
}
