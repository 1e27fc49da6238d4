package org.restheart.core.data;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.conformance.ConformanceCase;

/// Runs conformance cases against a gateway of the test class.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class GatewayConformance {
    private final ConformanceGateway gateway;
    private final TestMongo mongo;

    protected GatewayConformance(TestMongo mongo, ConformanceGateway gateway) {
        this.mongo = mongo;
        this.gateway = gateway;
    }

    @AfterAll
    protected final void stop() {
        gateway.close();
    }

    protected final void run(ConformanceCase c) {
        c.run(gateway, mongo);
    }
}
