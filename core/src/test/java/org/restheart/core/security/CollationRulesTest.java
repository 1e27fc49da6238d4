package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.Collation;
import com.mongodb.client.model.CollationStrength;
import com.mongodb.client.model.CreateCollectionOptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The filters of a permission compare texts as the collection does, wherever they are evaluated.
@WithMongo
class CollationRulesTest {
    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "dataApi: {enabled: true}\n");
        for (var name : new String[] {"c", "c.files"}) {
            gateway.database()
                    .createCollection(
                            name,
                            new CreateCollectionOptions()
                                    .collation(Collation.builder()
                                            .locale("en")
                                            .collationStrength(CollationStrength.SECONDARY)
                                            .build()));
        }
        gateway.insert("c", "{_id: 'mine', status: 'draft'}", "{_id: 'theirs', status: 'Published'}");
        gateway.permit("{_id: 'drafts', roles: ['editor'], predicate: \"path-prefix('/c')\", mongo:"
                + " {readFilter: {status: {$ne: 'published'}}, writeFilter: {status: {$ne: 'published'}},"
                + " checkWritten: true, allowWriteMode: true, allowBulkPatch: true, allowAdHocAggregations: true}}");
    }

    @Test
    void no_spelling_of_a_value_passes_the_check_of_what_is_written() {
        var ada = gateway.as("ada");
        for (var spelling : new String[] {"published", "PUBLISHED", "Published"}) {
            var document = "{\"_id\": \"new\", \"status\": \"" + spelling + "\"}";
            var change = "{\"status\": \"" + spelling + "\"}";
            assertThat(ada.post("/c", document).statusCode()).as(spelling).isEqualTo(403);
            assertStatus(403, ada.post("/c", "[" + document + "]"));
            assertThat(ada.with("Content-Type", "application/x-ndjson")
                            .send("POST", "/c", document + "\n")
                            .body())
                    .contains("403");
            assertStatus(403, ada.put("/c/new?wm=upsert", change));
            assertStatus(403, ada.put("/c/mine", change));
            assertStatus(403, ada.patch("/c/mine", change));
            assertStatus(403, ada.patch("/c/mine?wm=upsert", change));
            assertStatus(403, ada.patch("/c/*?filter=%7B%22_id%22:%22mine%22%7D", change));
            assertStatus(
                    403,
                    ada.post(
                            "/app/any/endpoint/data/v1/action/insertOne",
                            "{\"dataSource\": \"x\", \"database\": \"%s\", \"collection\": \"c\", \"document\": %s}"
                                    .formatted(gateway.database().getName(), document)));
        }
        assertThat(gateway.stored("c", "new")).isNull();
        assertThat(gateway.stored("c", "mine").getString("status").getValue()).isEqualTo("draft");
        assertStatus(201, ada.post("/c", "{\"_id\": \"other\", \"status\": \"open\"}"));
    }

    @Test
    void no_spelling_of_a_value_is_read() {
        var ada = gateway.as("ada");
        assertThat(ada.get("/c").body()).contains("mine").doesNotContain("theirs");
        assertStatus(404, ada.get("/c/theirs"));
        assertThat(ada.post("/c/_aggrs", "{\"stages\": [{\"$match\": {}}]}").body())
                .contains("mine")
                .doesNotContain("theirs");
    }
}
