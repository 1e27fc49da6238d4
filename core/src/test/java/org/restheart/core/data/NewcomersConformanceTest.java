package org.restheart.core.data;

import org.junit.jupiter.params.ParameterizedTest;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import org.restheart.testkit.conformance.ConformanceCase;
import org.restheart.testkit.conformance.ConformanceFile;

/// What a newcomer meets: refusals that say what to do, and what is new beside what clients of earlier versions know.
@WithMongo
class NewcomersConformanceTest extends GatewayConformance {
    NewcomersConformanceTest(TestMongo mongo) {
        super(mongo, ConformanceGateway.helpful(mongo, "mongo: {mongo-mounts: [{what: '*', where: /}]}"));
    }

    @ParameterizedTest(name = "{0}")
    @ConformanceFile({
        "newcomers-refusals.yml",
        "newcomers-spelling.yml",
        "newcomers-writes.yml",
        "formats.yml",
        "newcomers-representations.yml"
    })
    void answers_as_specified(ConformanceCase c) {
        run(c);
    }
}
