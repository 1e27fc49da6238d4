package org.restheart.core.graphql;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.restheart.core.dataapi.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import org.restheart.testkit.conformance.ConformanceCase;
import org.restheart.testkit.conformance.ConformanceFile;

@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GraphqlConformanceTest {
    private final ConformanceGateway gateway;
    private final TestMongo mongo;

    GraphqlConformanceTest(TestMongo mongo) {
        this.mongo = mongo;
        this.gateway = GraphqlGateway.start(mongo, "app-cache-ttr: 600000");
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    @ParameterizedTest(name = "{0}")
    @ConformanceFile({"graphql-queries.yml", "graphql-definitions.yml", "graphql-values.yml", "graphql-mappings.yml"})
    void answers_as_specified(ConformanceCase c) {
        c.run(gateway, mongo);
    }
}
