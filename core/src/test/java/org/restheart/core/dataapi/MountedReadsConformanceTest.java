package org.restheart.core.dataapi;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import org.restheart.testkit.conformance.ConformanceCase;
import org.restheart.testkit.conformance.ConformanceFile;

/// Reads below a mount, with settings of their own.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MountedReadsConformanceTest {
    private static final String SETTINGS = """
            mongo:
              mongo-mounts: [{what: '*', where: /data}]
              default-representation-format: HAL
              default-pagesize: 2
              max-pagesize: 4
              query-time-limit: 20
              aggregation-time-limit: 20
            """;

    private final ConformanceGateway gateway;
    private final TestMongo mongo;

    MountedReadsConformanceTest(TestMongo mongo) {
        this.mongo = mongo;
        this.gateway = ConformanceGateway.start(mongo, SETTINGS);
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    @ParameterizedTest(name = "{0}")
    @ConformanceFile("reads-mounts.yml")
    void answers_as_specified(ConformanceCase c) {
        c.run(gateway, mongo);
    }
}
