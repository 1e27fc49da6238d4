package org.restheart.core.data;

import org.junit.jupiter.params.ParameterizedTest;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import org.restheart.testkit.conformance.ConformanceCase;
import org.restheart.testkit.conformance.ConformanceFile;

@WithMongo
class ReadsConformanceTest extends GatewayConformance {
    ReadsConformanceTest(TestMongo mongo) {
        super(
                mongo,
                ConformanceGateway.start(
                        mongo, "mongo: {require-index-above: 2, mongo-mounts: [{what: '*', where: /}]}"));
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
        "reads-caching.yml",
        "reads-rules.yml",
        "reads-aggregations.yml"
    })
    void answers_as_specified(ConformanceCase c) {
        run(c);
    }
}
