package org.restheart.core.security;

import static com.mongodb.client.model.Filters.eq;
import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// A JSON Schema for accounts, made by somebody who manages them and is not root.
@WithMongo
class SchemasOfAccountsTest {
    private static String schema(String keywords) {
        return "{\"type\": \"object\", " + keywords + "}";
    }

    private static String pattern(String pattern) {
        return schema("\"required\": [\"password\"], \"properties\": {\"password\": {\"type\": \"string\","
                + " \"pattern\": \"" + pattern + "\"}, \"x\": {\"type\": \"integer\"}}");
    }

    /// As another version of the gateway may have made one.
    private static void giveFollowingValidator(TestGateway gateway) {
        var admin = gateway.as("admin");
        assertStatus(201, admin.put("/others", "{\"jsonSchema\": {\"schemaId\": \"pwb\"}}"));
        assertStatus(201, admin.put("/others/_validator", "{}"));
        var made = gateway.database()
                .listCollections()
                .filter(eq("name", "others"))
                .first();
        assertThat(made).isNotNull();
        gateway.database()
                .runCommand(new Document("collMod", "users")
                        .append("validator", made.get("options", Document.class).get("validator")));
    }

    @Test
    void a_schema_of_accounts_tells_nothing_about_passwords(TestMongo mongo) {
        try (var gateway = TestGateway.start(mongo, "")) {
            gateway.addUsers("mgr");
            gateway.permit(
                    "mgr",
                    "path-prefix('/users') or path-prefix('/_schemas')",
                    "{allowManagementRequests: true, allowWriteMode: true, allowBulkPatch: true}");
            var mgr = gateway.user("mgr");
            assertStatus(201, gateway.as("admin").put("/_schemas", "{}"));
            assertStatus(201, mgr.put("/_schemas/pwb?wm=upsert", schema("\"title\": \"any\"")));
            assertStatus(200, mgr.patch("/users", "{\"jsonSchema\": {\"schemaId\": \"pwb\"}}"));
            giveFollowingValidator(gateway);
            int x = 0;
            for (var pattern : new String[] {"^\\\\$2a", "^never$"}) {
                assertStatus(200, mgr.put("/_schemas/pwb?wm=upsert", pattern(pattern)));
                assertStatus(200, mgr.patch("/users/bob", "{\"x\": " + x++ + "}"));
                assertStatus(200, mgr.patch("/users/bob", "[{\"$set\": {\"x\": " + x++ + "}}]"));
                assertStatus(
                        200, mgr.patch("/users/bob", "{\"$setOnInsert\": {\"password\": \"pw\"}, \"x\": " + x++ + "}"));
                assertStatus(400, mgr.patch("/users/bob", "{\"x\": \"text\"}"));
                assertStatus(404, gateway.as("admin").get("/users/_validator"));
                for (var caller : List.of(mgr, gateway.as("admin"))) {
                    assertStatus(403, caller.put("/users/_validator", "{\"weaker\": true}"));
                }
            }
            assertStatus(400, mgr.post("/users", "{\"_id\": \"new\", \"password\": \"Some-words-2\", \"roles\": []}"));
            assertStatus(400, mgr.patch("/users/bob", "{\"password\": \"Some-words-2\"}"));
            assertStatus(200, mgr.put("/_schemas/pwb?wm=upsert", pattern("^\\\\$2a")));
            assertStatus(201, mgr.post("/users", "{\"_id\": \"new\", \"password\": \"Some-words-2\", \"roles\": []}"));
            assertStatus(200, mgr.patch("/users/new", "{\"password\": \"Other-words-2\"}"));
        }
    }
}
