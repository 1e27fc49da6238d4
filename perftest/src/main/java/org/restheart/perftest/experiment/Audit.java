package org.restheart.perftest.experiment;

import java.io.IOException;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.workload.Operation;

/// Looks afterwards whether what was measured has happened.
@FunctionalInterface
interface Audit {
    /// Believes everything.
    Audit NONE = (_, _) -> {};

    /// @throws IOException when it has not
    void check(Operation operation, Measurement measurement) throws IOException;
}
