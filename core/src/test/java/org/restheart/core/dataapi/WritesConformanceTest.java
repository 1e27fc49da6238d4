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
class WritesConformanceTest {
    private final ConformanceGateway gateway;
    private final TestMongo mongo;

    WritesConformanceTest(TestMongo mongo) {
        this.mongo = mongo;
        this.gateway = ConformanceGateway.start(mongo);
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    @ParameterizedTest(name = "{0}")
    @ConformanceFile({
        "writes-documents.yml",
        "writes-content.yml",
        "writes-bulk.yml",
        "writes-databases.yml",
        "writes-indexes.yml",
        "writes-errors.yml",
        "writes-accidents.yml",
        "http-rows.yml"
    })
    void answers_as_specified(ConformanceCase c) {
        c.run(gateway, mongo);
    }
}
