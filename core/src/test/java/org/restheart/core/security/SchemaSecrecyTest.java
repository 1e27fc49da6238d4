package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Schemas that a caller may not read.
@WithMongo
class SchemaSecrecyTest {
    private static final String SCHEMA =
            "{\"_id\": \"s1\", \"type\": \"object\", \"properties\": {\"k\": {\"const\": \"S3CRET\"}}}";

    @Test
    void naming_a_schema_does_not_show_what_is_in_it(TestMongo mongo) {
        try (var gateway = TestGateway.start(mongo, "openApi: {max-collections: 20}\n")) {
            var admin = gateway.as("admin");
            assertStatus(201, admin.put("/_schemas", "{}"));
            assertStatus(201, admin.post("/_schemas", SCHEMA));
            assertStatus(201, admin.put("/new1", "{}"));
            gateway.permit(
                    "{_id: 'p', roles: ['editor'], predicate: \"path-prefix('/new1') or path-prefix('/_openapi')\","
                            + " mongo: {allowManagementRequests: true}}");
            var ada = gateway.as("ada");
            assertStatus(403, ada.get("/_schemas/s1"));
            for (var named : List.of(
                    "{\"jsonSchema\": {\"schemaId\": \"s1\"}}",
                    "{\"$set\": {\"jsonSchema.schemaId\": \"s1\"}}",
                    "{\"jsonSchema\": {\"schemaId\": \"guess\"}}",
                    "{\"jsonSchema\": {\"schemaId\": \"s1\", \"schemaStoreDb\": \"otherdb\"}}")) {
                assertThat(ada.patch("/new1", named).statusCode()).as(named).isEqualTo(403);
            }
            assertStatus(403, ada.put("/new1b", "{\"jsonSchema\": {\"schemaId\": \"s1\"}}"));
            assertStatus(200, ada.patch("/new1", "{\"other\": 1, \"jsonSchema\": null}"));
            assertStatus(200, ada.patch("/new1", "{\"x\": {\"schemaId\": \"s1\"}}"));
            assertStatus(400, ada.patch("/new1", "{\"$rename\": {\"x\": \"jsonSchema\"}}"));
            assertStatus(200, admin.patch("/new1", "{\"jsonSchema\": {\"schemaId\": \"s1\"}}"));
            assertThat(ada.get("/_openapi/new1").body()).doesNotContain("S3CRET");
            assertThat(admin.get("/_openapi/new1").body()).contains("S3CRET");
        }
    }

    @Test
    void a_store_that_no_mount_shows_is_not_used(TestMongo mongo) {
        try (var gateway = TestGateway.start(mongo, "")) {
            var hidden = mongo.newDatabaseName();
            mongo.client()
                    .getDatabase(hidden)
                    .getCollection("_schemas", BsonDocument.class)
                    .insertOne(BsonDocument.parse(SCHEMA));
            var admin = gateway.as("admin");
            assertStatus(
                    403,
                    admin.put("/c", "{\"jsonSchema\": {\"schemaId\": \"s1\", \"schemaStoreDb\": \"" + hidden + "\"}}"));
            assertStatus(201, admin.put("/_schemas", "{}"));
            var reference = "{\"_id\": \"own\", \"$ref\": \"http://schema-store/" + hidden + "/s1\"}";
            assertStatus(403, admin.post("/_schemas", reference));
            var naming = "{\"jsonSchema\": {\"schemaId\": \"own\"}}";
            assertStatus(201, admin.put("/c", naming));
            gateway.insert("_schemas", reference.replace("$", "_$"));
            assertStatus(403, admin.put("/c2", naming));
            var refused = admin.post("/c", "{\"k\": 1}");
            assertStatus(500, refused);
            assertThat(refused.body()).doesNotContain("S3CRET");
        }
    }
}
