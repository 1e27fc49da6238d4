package org.restheart.core.data;

import org.junit.jupiter.params.ParameterizedTest;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import org.restheart.testkit.conformance.ConformanceCase;
import org.restheart.testkit.conformance.ConformanceFile;

@WithMongo
class WritesConformanceTest extends GatewayConformance {
    WritesConformanceTest(TestMongo mongo) {
        super(mongo, ConformanceGateway.start(mongo));
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
        "http-rows.yml",
        "http-conditions.yml",
        "writes-together.yml"
    })
    void answers_as_specified(ConformanceCase c) {
        run(c);
    }
}
