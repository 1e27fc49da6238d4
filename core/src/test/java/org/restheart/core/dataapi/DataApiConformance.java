package org.restheart.core.dataapi;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.conformance.ConformanceCase;

/// Runs conformance cases against a gateway of the test class.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DataApiConformance {
    private final ConformanceGateway gateway;
    private final TestMongo mongo;

    DataApiConformance(TestMongo mongo, ConformanceGateway gateway) {
        this.mongo = mongo;
        this.gateway = gateway;
    }

    @AfterAll
    final void stop() {
        gateway.close();
    }

    final void run(ConformanceCase c) {
        c.run(gateway, mongo);
    }
}
