package org.restheart.core.dataapi;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import org.restheart.testkit.conformance.ConformanceCase;
import org.restheart.testkit.conformance.ConformanceFile;

/// One database at the root, as in the shipped configuration, and parts of it elsewhere.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MountedDatabaseConformanceTest {
    private final ConformanceGateway gateway;
    private final TestMongo mongo;

    MountedDatabaseConformanceTest(TestMongo mongo) {
        this.mongo = mongo;
        this.gateway = ConformanceGateway.start(mongo, """
                mongo:
                  mongo-mounts:
                    - {what: /$db, where: /}
                    - {what: /$db/c, where: /o}
                    - {what: /$db/c/7, where: /cfg}
                """.replace("$db", mongo.newDatabaseName()));
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    @ParameterizedTest(name = "{0}")
    @ConformanceFile("mounted-database.yml")
    void answers_as_specified(ConformanceCase c) {
        c.run(gateway, mongo);
    }
}
