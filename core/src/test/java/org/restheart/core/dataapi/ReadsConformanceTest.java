package org.restheart.core.dataapi;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import org.restheart.testkit.conformance.ConformanceCase;
import org.restheart.testkit.conformance.ConformanceFile;

@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReadsConformanceTest {
    private final ConformanceGateway gateway;
    private final TestMongo mongo;

    ReadsConformanceTest(TestMongo mongo) {
        this.mongo = mongo;
        this.gateway = ConformanceGateway.start(mongo);
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    @ParameterizedTest(name = "{0}")
    @ConformanceFile({
        "reads-documents.yml",
        "reads-collections.yml",
        "reads-parameters.yml",
        "reads-paths.yml",
        "reads-catalog.yml",
        "reads-hal.yml",
        "reads-relationships.yml",
        "reads-exports.yml",
        "reads-rules.yml",
        "reads-aggregations.yml"
    })
    void answers_as_specified(ConformanceCase c) {
        c.run(gateway, mongo);
    }
}
