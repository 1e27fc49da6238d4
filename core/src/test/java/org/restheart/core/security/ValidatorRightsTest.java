package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.http.ComputeLimit;
import org.restheart.http.ComputeLimit.Place;
import org.restheart.http.ProblemException;
import org.restheart.http.access.CallerScope;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Who may make MongoDB's validators from schemas, and see what violates these.
@WithMongo
class ValidatorRightsTest {
    private static final String MANAGES =
            "{_id: 'm', roles: ['editor'], predicate: \"path-prefix('/books')\", mongo: {allowManagementRequests:"
                    + " true}}";
    private static final String READS_SCHEMAS = "{_id: 's', roles: ['editor'], predicate: \"path-prefix('/_schemas')\","
            + " mongo: {allowManagementRequests: true}}";

    private static TestGateway start(TestMongo mongo) {
        var gateway = TestGateway.start(mongo, "");
        var admin = gateway.as("admin");
        assertStatus(201, admin.put("/_schemas", "{}"));
        var schema =
                "{\"_id\": \"s\", \"properties\": {\"n\": {\"type\": \"integer\"}, \"k\": {\"type\": \"string\"}}}";
        assertStatus(201, admin.post("/_schemas", schema));
        assertStatus(201, admin.put("/books", "{\"jsonSchema\": {\"schemaId\": \"s\"}}"));
        return gateway;
    }

    @Test
    void a_validator_is_for_those_who_may_manage_the_collection_and_read_the_schema(TestMongo mongo) {
        try (var gateway = start(mongo)) {
            var ada = gateway.as("ada");
            gateway.permit("{_id: 'm', roles: ['editor'], predicate: \"path-prefix('/books')\"}");
            for (var method : new String[] {"GET", "PUT", "DELETE"}) {
                assertThat(ada.send(method, "/books/_validator", "").statusCode())
                        .as(method)
                        .isEqualTo(403);
            }
            gateway.collection("acl").deleteOne(BsonDocument.parse("{_id: 'm'}"));
            gateway.permit(MANAGES);
            assertStatus(403, ada.put("/books/_validator", "{}"));
            assertStatus(403, ada.get("/books/_violations"));
            assertStatus(403, ada.get("/books/_violations?schema=s"));
            assertStatus(403, ada.get("/books/_violations?schema=none"));
            gateway.permit(READS_SCHEMAS);
            assertStatus(201, ada.put("/books/_validator", "{}"));
            assertStatus(200, ada.get("/books/_violations"));
        }
    }

    /// Checking takes a processor.
    @Test
    void violations_are_found_within_the_share_of_the_caller(TestMongo mongo) {
        try (var gateway = start(mongo)) {
            gateway.insert("books", "{_id: 1, n: 'x'}");
            gateway.permit(READS_SCHEMAS);
            gateway.permit("{_id: 'r', roles: ['editor'], predicate: \"path-prefix('/books')\"}");
            var taken = CallerScope.call(CallerScope.account("ada"), ValidatorRightsTest::takeShare);
            try {
                assertStatus(503, gateway.as("ada").get("/books/_violations"));
                assertStatus(200, gateway.as("admin").get("/books/_violations"));
            } finally {
                taken.forEach(Place::close);
            }
            assertStatus(200, gateway.as("ada").get("/books/_violations"));
        }
    }

    private static List<Place> takeShare() {
        var taken = new ArrayList<Place>();
        while (true) {
            try {
                taken.add(ComputeLimit.SHARED.enter(Duration.ZERO));
            } catch (ProblemException _) {
                return taken;
            }
        }
    }

    @Test
    void violations_are_those_of_what_the_caller_sees(TestMongo mongo) {
        try (var gateway = start(mongo)) {
            gateway.insert("books", "{_id: 1, owner: 'ada', n: 'x', k: 'kept'}");
            gateway.insert("books", "{_id: 2, owner: 'ada', n: 1, k: 7}");
            gateway.insert("books", "{_id: 3, owner: 'bob', n: 'SECRET'}");
            gateway.permit(READS_SCHEMAS);
            gateway.permit("{_id: 'r', roles: ['editor'], predicate: \"path-prefix('/books')\","
                    + " mongo: {readFilter: {owner: 'ada'}, projectResponse: {k: 0}}}");

            var seen = BsonDocument.parse(
                    gateway.as("ada").get("/books/_violations?sort=_id").body());

            assertThat(seen.getNumber("checked").longValue()).isEqualTo(2);
            assertThat(seen.getNumber("violating").longValue()).isEqualTo(1);
            assertThat(seen.getArray("violations").toString()).contains("#/n").doesNotContain("#/k", "SECRET");
            var all = BsonDocument.parse(
                    gateway.as("admin").get("/books/_violations").body());
            assertThat(all.getNumber("violating").longValue()).isEqualTo(3);
        }
    }

    @Test
    void a_changed_schema_names_the_collections_that_differ_only_to_callers_who_see_all(TestMongo mongo) {
        try (var gateway = start(mongo)) {
            assertStatus(201, gateway.as("admin").put("/books/_validator", "{}"));
            gateway.permit("{_id: 's', roles: ['editor'], predicate: \"path-prefix('/_schemas')\","
                    + " mongo: {allowManagementRequests: true, allowWriteMode: true}}");

            assertThat(warning(gateway, "ada", "date")).contains("1 collection").doesNotContain("books");
            assertThat(warning(gateway, "admin", "time")).contains(".books");
        }
    }

    private static String warning(TestGateway gateway, String user, String format) {
        var schema = "{\"properties\": {\"k\": {\"type\": \"string\", \"format\": \"" + format + "\"}}}";
        var changed = gateway.as(user).put("/_schemas/s?wm=upsert", schema);
        assertStatus(200, changed);
        return changed.headers().firstValue("Warning").orElse("");
    }
}
