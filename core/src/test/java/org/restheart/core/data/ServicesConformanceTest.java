package org.restheart.core.data;

import org.junit.jupiter.params.ParameterizedTest;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import org.restheart.testkit.conformance.ConformanceCase;
import org.restheart.testkit.conformance.ConformanceFile;

/// Schemas, sessions, files, and what operators ask.
@WithMongo
class ServicesConformanceTest extends GatewayConformance {
    ServicesConformanceTest(TestMongo mongo) {
        super(mongo, ConformanceGateway.start(mongo));
    }

    @ParameterizedTest(name = "{0}")
    @ConformanceFile({
        "services-schemas.yml",
        "services-sessions.yml",
        "services-files.yml",
        "services-rows.yml",
        "operations.yml"
    })
    void answers_as_specified(ConformanceCase c) {
        run(c);
    }
}
