package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.security.TestGateway.encode;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.URI;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Ids of types that have no short text: UUIDs, decimal numbers and objects are named in paths.
@WithMongo
class TypedIdsTest {
    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        gateway.addUsers("owner");
        gateway.permit("owner", "path-prefix('/c')", "{readFilter: {owner: 'owner'}, writeFilter: {owner: 'owner'}}");
        gateway.database().createCollection("c");
        gateway.database().createCollection("up.files");
    }

    private static String target(String location) {
        var uri = URI.create(location);
        return uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"$uuid\":\"0ecf4f0c-6d4e-4f2a-9c0d-3b2a1c0d4e5f\"}",
                "{\"$numberDecimal\":\"12.50\"}",
                "{\"$numberDecimal\":\"-1E+6000\"}",
                "{\"a\":1,\"b\":{\"$numberLong\":\"2\"}}",
                "{\"day\":{\"$date\":\"2026-01-02T03:04:05Z\"},\"name/é;?\":\"x&y\"}",
                "{\"k\":{\"$oid\":\"65f0c0ffee0000000000abcd\"}}"
            })
    void a_document_is_found_where_its_location_says(String id) {
        var admin = gateway.as("admin");
        var created = admin.post("/c", "{\"_id\":" + id + ",\"n\":1}");
        assertStatus(201, created);
        var path = target(created.headers().firstValue("Location").orElseThrow());
        var found = admin.get(path + "&jsonMode=extended");
        assertStatus(200, found);
        assertThat(BsonDocument.parse(found.body()).get("_id"))
                .isEqualTo(BsonDocument.parse("{v: " + id + "}").get("v"));
        assertThat(admin.get(path + "&rep=HAL&hal=f").body()).contains(path);
        assertStatus(200, admin.patch(path, "{\"n\":2}"));
        assertStatus(200, admin.put(path, "{\"n\":3}"));
        assertThat(BsonDocument.parse(admin.get(path).body()).getNumber("n").intValue())
                .isEqualTo(3);
        assertStatus(404, gateway.user("owner").get(path));
        assertStatus(404, gateway.user("owner").patch(path, "{\"n\":4}"));
        assertStatus(204, admin.delete(path));
        assertStatus(404, admin.get(path));
        assertStatus(201, admin.put(path + "&wm=upsert", "{\"n\":5}"));
        assertThat(admin.post("/c?wm=insert", "[{\"_id\":" + id + "}]").statusCode())
                .isEqualTo(207);
        assertStatus(204, admin.delete(path));
    }

    @Test
    void an_id_is_no_query() {
        gateway.insert("c", "{_id: 'victim', n: 1}");
        var admin = gateway.as("admin");
        for (var id : new String[] {"{\"$gt\":\"\"}", "{\"$ne\":null}", "{\"$regex\":\".*\"}", "{\"a\":1,\"$gt\":1}"}) {
            var path = "/c/" + encode(id) + "?id_type=DOCUMENT";
            assertStatus(400, admin.get(path));
            assertStatus(400, admin.patch(path, "{\"n\":2}"));
            assertStatus(400, admin.delete(path));
            assertStatus(400, admin.put(path + "&wm=upsert", "{\"n\":2}"));
        }
        assertThat(gateway.stored("c", "victim").getInt32("n").getValue()).isEqualTo(1);
        assertStatus(404, admin.get("/c/" + encode("{\"a\":{\"$gt\":1}}") + "?id_type=DOCUMENT"));
    }

    @Test
    void files_have_such_ids_too() {
        var admin = gateway.as("admin");
        var path = "/up.files/0ecf4f0c-6d4e-4f2a-9c0d-3b2a1c0d4e5f";
        assertStatus(
                201,
                admin.with("Content-Type", "application/octet-stream")
                        .send("PUT", path + "?id_type=UUID&wm=upsert", "abc"));
        assertThat(admin.get(path + "/binary?id_type=uuid").body()).isEqualTo("abc");
        assertStatus(200, admin.get(path + "?id_type=UUID"));
        assertStatus(404, admin.get(path));
        assertStatus(204, admin.delete(path + "?id_type=UUID"));
    }

    @Test
    void equal_decimals_are_one_id() {
        gateway.insert("c", "{_id: {$numberDecimal: '7.0'}, n: 1}");
        var admin = gateway.as("admin");
        assertStatus(200, admin.get("/c/7?id_type=DECIMAL128"));
        assertStatus(200, admin.get("/c/7?id_type=NUMBER"));
        assertStatus(204, admin.delete("/c/7.00?id_type=DECIMAL128"));
    }
}
