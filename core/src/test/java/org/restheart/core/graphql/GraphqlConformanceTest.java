package org.restheart.core.graphql;

import org.junit.jupiter.params.ParameterizedTest;
import org.restheart.core.data.GatewayConformance;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import org.restheart.testkit.conformance.ConformanceCase;
import org.restheart.testkit.conformance.ConformanceFile;

@WithMongo
class GraphqlConformanceTest extends GatewayConformance {
    GraphqlConformanceTest(TestMongo mongo) {
        super(mongo, GraphqlGateway.start(mongo, "app-cache-ttr: 600000"));
    }

    @ParameterizedTest(name = "{0}")
    @ConformanceFile({"graphql-queries.yml", "graphql-definitions.yml", "graphql-values.yml", "graphql-mappings.yml"})
    void answers_as_specified(ConformanceCase c) {
        run(c);
    }
}
