package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Schemas that refer to schemas of another database, which their author may not read.
@WithMongo
class SchemaReferencesTest {
    private static final String SECRET = "{\"type\": \"object\", \"properties\": {\"k\": {\"enum\": [\"S3CRET\"]}}}";

    private static ConformanceGateway start(TestMongo mongo, String own) {
        return ConformanceGateway.of(ConformanceGateway.GUARDS
                + "mclient: {connection-string: '%s'}\nmongo: {mongo-mounts: [{what: '*', where: /}]}\n"
                        .formatted(mongo.connectionString())
                + ConformanceGateway.ACCOUNTS
                + "    - {userid: eve, password: secret, roles: [tenant]}\n"
                + ConformanceGateway.PERMISSIONS
                + "    - {role: tenant, predicate: \"path-prefix('/" + own + "')\", mongo:"
                + " {allowManagementRequests: true, allowBulkPatch: true, allowWriteMode: true}}\n");
    }

    @Test
    void references_need_the_right_to_read(TestMongo mongo) {
        var own = mongo.newDatabaseName();
        var other = mongo.newDatabaseName();
        try (var gateway = start(mongo, own)) {
            var admin = gateway.as("admin");
            for (var path : List.of(own, own + "/_schemas", other, other + "/_schemas")) {
                assertStatus(201, admin.put("/" + path, "{}"));
            }
            assertStatus(201, admin.put("/" + other + "/_schemas/secret?wm=upsert", SECRET));
            var eve = gateway.as("eve");
            var store = "/" + own + "/_schemas";
            assertStatus(403, eve.get("/" + other + "/_schemas/secret"));
            for (var reference : List.of(
                    "http://schema-store/" + other + "/secret",
                    "http://schema-store/" + other + "/secret#/properties/k",
                    "http://schema-store/" + other + "/%73ecret",
                    "http://schema-store/" + other + "/there-is-none",
                    "../" + other + "/secret#",
                    "/" + other + "/secret#")) {
                var names = "{\"_$ref\": \"" + reference + "\"}";
                assertStatus(403, eve.put(store + "/mine?wm=upsert", names));
                assertStatus(403, eve.post(store, names.replace("_$", "$")));
                assertStatus(403, eve.post(store, "{\"properties\": {\"a\": {\"items\": [" + names + "]}}}"));
            }
            assertStatus(
                    201, eve.post(store, "{\"_id\": \"plain\", \"properties\": {\"k\": {\"type\": \"integer\"}}}"));
            assertStatus(201, eve.post(store, "{\"_id\": \"uses\", \"_$ref\": \"plain\"}"));
            var stored = eve.get(store).body();
            assertStatus(
                    403,
                    eve.patch(
                            store + "/*?filter=" + TestGateway.encode("{\"_id\": \"plain\"}"),
                            "{\"_$ref\": \"http://schema-store/" + other + "/secret\"}"));
            assertThat(eve.get(store).body()).isEqualTo(stored).contains("uses").doesNotContain(other);

            // what somebody else refers to, who may
            assertStatus(
                    201,
                    admin.post(
                            store, "{\"_id\": \"shared\", \"_$ref\": \"http://schema-store/" + other + "/secret\"}"));
            assertStatus(403, eve.post(store, "{\"_$ref\": \"shared\"}"));
            assertStatus(403, eve.put("/" + own + "/leak", "{\"jsonSchema\": {\"schemaId\": \"shared\"}}"));
            assertStatus(201, admin.put("/" + own + "/used", "{\"jsonSchema\": {\"schemaId\": \"shared\"}}"));
            assertStatus(403, eve.put("/" + own + "/used/_validator", "{\"weaker\": true}"));
            admin.put("/" + own + "/used/_validator", "{\"weaker\": true}");
            assertStatus(403, eve.get("/" + own + "/used/_validator"));
            assertStatus(403, eve.get("/" + own + "/used/_violations"));
            var refused = admin.post("/" + own + "/used", "{\"k\": 1}");
            assertStatus(400, refused);
            assertThat(refused.body()).contains("S3CRET");
        }
    }

    @Test
    void only_such_references_are_followed(TestMongo mongo) {
        var own = mongo.newDatabaseName();
        var other = mongo.newDatabaseName();
        try (var gateway = start(mongo, own)) {
            var admin = gateway.as("admin");
            for (var path : List.of(own, own + "/_schemas", other, other + "/_schemas")) {
                assertStatus(201, admin.put("/" + path, "{}"));
            }
            assertStatus(201, admin.put("/" + other + "/_schemas/secret?wm=upsert", SECRET));
            var eve = gateway.as("eve");
            for (var id : List.of("id", "$id")) {
                var base = "{\"" + id + "\": \"http://schema-store/" + other + "/x\", \"$ref\": \"secret\"}";
                var schema = "{\"_id\": \"n\", \"$schema\": \"https://json-schema.org/draft/2020-12/schema\","
                        + " \"allOf\": [{\"" + id + "\": \"http://schema-store/" + other + "/x\","
                        + " \"properties\": {\"z\": " + base + "}, \"allOf\": [{\"$ref\": \"secret\"}]}]}";
                var stored = eve.put("/" + own + "/_schemas/n?wm=upsert", schema);
                assertThat(stored.statusCode()).isIn(200, 201);
                assertThat(stored.body()).contains("refers to " + own + "/_schemas/secret, which does not exist");
                var used = eve.put("/" + own + "/leak", "{\"jsonSchema\": {\"schemaId\": \"n\"}}");
                assertThat(used.statusCode()).isIn(200, 201);
                var refused = eve.post("/" + own + "/leak", "{\"k\": 1, \"z\": {\"k\": 1}}");
                assertStatus(500, refused);
                var made = eve.put("/" + own + "/leak/_validator", "{\"weaker\": true}");
                assertThat(made.statusCode()).isIn(200, 201);
                var validator = eve.get("/" + own + "/leak/_validator");
                assertStatus(200, validator);
                for (var answer : List.of(refused, made, validator)) {
                    assertThat(answer.body()).doesNotContain("S3CRET");
                }
            }
        }
    }
}
