package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import org.junit.jupiter.api.Test;
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

    @Test
    void a_collection_of_a_database_that_does_not_exist_is_refused_with_how_to_make_that(TestMongo mongo) {
        var mount = "mongo: {mongo-mounts: [{what: /" + mongo.newDatabaseName() + ", where: /}]}";
        try (var gateway = ConformanceGateway.helpful(mongo, mount)) {
            var admin = gateway.as("admin");
            var refused = admin.put("/books", "{}");
            assertStatus(404, refused);
            assertThat(refused.body()).contains("nothing is created by itself: PUT / creates the database");
            assertStatus(201, admin.put("/", "{}"));
            assertStatus(201, admin.put("/books", "{}"));
        }
    }
}
