package org.restheart.core.data;

import org.junit.jupiter.params.ParameterizedTest;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import org.restheart.testkit.conformance.ConformanceCase;
import org.restheart.testkit.conformance.ConformanceFile;

/// Reads below a mount, with settings of their own.
@WithMongo
class MountedReadsConformanceTest extends GatewayConformance {
    private static final String SETTINGS = """
            mongo:
              mongo-mounts: [{what: '*', where: /data}]
              default-representation-format: HAL
              default-pagesize: 2
              max-pagesize: 4
              query-time-limit: 20
              aggregation-time-limit: 20
            """;

    MountedReadsConformanceTest(TestMongo mongo) {
        super(mongo, ConformanceGateway.start(mongo, SETTINGS));
    }

    @ParameterizedTest(name = "{0}")
    @ConformanceFile("reads-mounts.yml")
    void answers_as_specified(ConformanceCase c) {
        run(c);
    }
}
