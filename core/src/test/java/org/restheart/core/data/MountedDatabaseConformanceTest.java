package org.restheart.core.data;

import org.junit.jupiter.params.ParameterizedTest;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import org.restheart.testkit.conformance.ConformanceCase;
import org.restheart.testkit.conformance.ConformanceFile;

/// One database at the root, as in the shipped configuration, and parts of it elsewhere.
@WithMongo
class MountedDatabaseConformanceTest extends GatewayConformance {
    MountedDatabaseConformanceTest(TestMongo mongo) {
        super(mongo, ConformanceGateway.start(mongo, """
                mongo:
                  mongo-mounts:
                    - {what: /$db, where: /}
                    - {what: /$db/c, where: /o}
                    - {what: /$db/c/7, where: /cfg}
                """.replace("$db", mongo.newDatabaseName())));
    }

    @ParameterizedTest(name = "{0}")
    @ConformanceFile("mounted-database.yml")
    void answers_as_specified(ConformanceCase c) {
        run(c);
    }
}
