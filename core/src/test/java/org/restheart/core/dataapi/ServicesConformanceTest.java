package org.restheart.core.dataapi;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import org.restheart.testkit.conformance.ConformanceCase;
import org.restheart.testkit.conformance.ConformanceFile;

/// Schemas and sessions.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ServicesConformanceTest {
    private final ConformanceGateway gateway;
    private final TestMongo mongo;

    ServicesConformanceTest(TestMongo mongo) {
        this.mongo = mongo;
        this.gateway = ConformanceGateway.start(mongo);
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    @ParameterizedTest(name = "{0}")
    @ConformanceFile({"services-schemas.yml", "services-sessions.yml"})
    void answers_as_specified(ConformanceCase c) {
        c.run(gateway, mongo);
    }
}
