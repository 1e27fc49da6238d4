package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.MongoWriteException;
import java.net.http.HttpResponse;
import org.awaitility.Awaitility;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// JSON Schemas as validators of MongoDB, seen by those who write without the gateway.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ValidatorsTest {
    private static final String CONFIG = "mongo: {mongo-mounts: [{what: '*', where: /}]}\n";

    private final TestMongo mongo;

    @AutoClose
    private final ConformanceGateway gateway;

    ValidatorsTest(TestMongo mongo) {
        this.mongo = mongo;
        gateway = ConformanceGateway.start(mongo, CONFIG);
    }

    @BeforeEach
    void declare() throws Exception {
        mongo.database().getCollection("books").drop();
        send("PUT", "", "{}");
        send("PUT", "/_schemas", "{}");
        schema("{\"type\": \"object\", \"properties\": {\"n\": {\"type\": \"integer\"}}, \"required\": [\"n\"],"
                + " \"additionalProperties\": false}");
        assertThat(send("PUT", "/books", "{\"jsonSchema\": {\"schemaId\": \"s\"}}")
                        .statusCode())
                .isIn(200, 201);
    }

    private HttpResponse<String> schema(String schema) throws Exception {
        var answer = send("PUT", "/_schemas/s?wm=upsert", schema);
        assertThat(answer.statusCode()).isIn(200, 201);
        return answer;
    }

    private HttpResponse<String> send(String method, String path, String content) throws Exception {
        return gateway.as("admin").json(method, "/" + mongo.databaseName() + path, content);
    }

    private BsonDocument state() throws Exception {
        var answer = send("GET", "/books/_validator", "");
        assertStatus(200, answer);
        return BsonDocument.parse(answer.body());
    }

    private void insert(String document) {
        mongo.database().getCollection("books").insertOne(Document.parse(document));
    }

    private void insertIsRefused(String document) {
        assertThatThrownBy(() -> insert(document)).isInstanceOf(MongoWriteException.class);
    }

    private Document options() {
        return mongo.database()
                .listCollections()
                .filter(new Document("name", "books"))
                .first()
                .get("options", Document.class);
    }

    @Test
    void who_writes_without_the_gateway_is_held_to_the_schema() throws Exception {
        insert("{n: 'x'}");

        var made = send("PUT", "/books/_validator", "");

        assertStatus(201, made);
        insertIsRefused("{n: 'x'}");
        insertIsRefused("{n: 1, m: 1}");
        insert("{n: 1}");
        assertStatus(201, send("POST", "/books", "{\"n\": 2}"));
        assertStatus(201, send("PUT", "/books/b?wm=upsert", "{\"n\": 2}"));
        assertStatus(200, send("PUT", "/books/_validator", "{\"validationLevel\": \"moderate\"}"));
        assertThat(options().getString("validationLevel")).isEqualTo("moderate");

        assertStatus(204, send("DELETE", "/books/_validator", ""));
        insert("{n: 'x'}");
        assertStatus(404, send("DELETE", "/books/_validator", ""));
        assertStatus(404, send("GET", "/books/_validator", ""));
    }

    @Test
    void a_validator_follows_its_schema_and_keeps_its_level() throws Exception {
        send("PUT", "/books/_validator", "{\"validationLevel\": \"moderate\"}");

        var changed = schema("{\"type\": \"object\", \"properties\": {\"n\": {\"type\": \"string\"}}}");

        assertThat(changed.headers().firstValue("Warning")).isEmpty();
        insertIsRefused("{n: 1}");
        insert("{n: 'x'}");
        assertThat(options().getString("validationLevel")).isEqualTo("moderate");
        assertThat(state().getBoolean("current").getValue()).isTrue();
    }

    @Test
    void a_change_that_mongodb_cannot_express_is_flagged_and_nothing_valid_is_refused() throws Exception {
        send("PUT", "/books/_validator", "");

        var changed = schema("{\"properties\": {\"n\": {\"type\": \"string\", \"format\": \"date-time\"}}}");

        assertThat(changed.headers().firstValue("Warning").orElse("")).contains("1 collection", "_validator");
        assertThat(state().getBoolean("complete").getValue()).isFalse();
        assertThat(state().getArray("leftOut").toString()).contains("#/properties/n", "format");
        insertIsRefused("{n: 1}");
        insert("{n: '2024-01-01T00:00:00Z'}");
    }

    @Test
    void a_change_behind_the_gateway_is_followed_or_flagged() throws Exception {
        send("PUT", "/books/_validator", "");

        mongo.database()
                .getCollection("_schemas")
                .updateOne(new Document("_id", "s"), new Document("$set", new Document("properties.n.type", "string")));

        Awaitility.await().untilAsserted(() -> {
            assertThat(state().getBoolean("current").getValue()).isTrue();
            insertIsRefused("{n: 1}");
        });
    }

    @Test
    void a_collection_without_its_schema_loses_the_validator() throws Exception {
        send("PUT", "/books/_validator", "");
        assertStatus(200, send("PUT", "/books", "{}"));

        insert("{n: 'x'}");
        assertThat(options()).doesNotContainKey("validator");
        assertStatus(400, send("PUT", "/books/_validator", ""));
    }

    @Test
    void somebody_elses_validator_is_replaced_only_on_demand() throws Exception {
        mongo.database()
                .runCommand(Document.parse("{collMod: 'books', validator: {$jsonSchema: {required: ['mine']}}}"));

        assertStatus(409, send("PUT", "/books/_validator", ""));
        assertStatus(404, send("GET", "/books/_validator", ""));
        assertStatus(404, send("DELETE", "/books/_validator", ""));
        schema("{\"type\": \"object\"}");
        insertIsRefused("{n: 1}");

        assertStatus(200, send("PUT", "/books/_validator", "{\"replace\": true}"));
        insert("{n: 1}");
    }

    @Test
    void what_cannot_be_expressed_is_refused_by_name_unless_less_is_wanted() throws Exception {
        schema("{\"properties\": {\"n\": {\"type\": \"string\", \"format\": \"email\"}}}");

        var refused = send("PUT", "/books/_validator", "");

        assertStatus(422, refused);
        assertThat(refused.body()).contains("s#/properties/n: format");
        assertThat(options()).doesNotContainKey("validator");
        assertStatus(201, send("PUT", "/books/_validator", "{\"weaker\": true}"));
        insertIsRefused("{n: 1}");
    }

    @Test
    void documents_that_violate_a_schema_are_found_before_it_is_enforced() throws Exception {
        for (int i = 0; i < 30; i++) {
            insert("{_id: " + i + ", n: " + (i % 3 == 0 ? "'x'" : "1") + "}");
        }

        var answer = BsonDocument.parse(
                send("GET", "/books/_violations?pagesize=2&sort=_id", "").body());

        assertThat(answer.getNumber("checked").longValue()).isEqualTo(30);
        assertThat(answer.getNumber("violating").longValue()).isEqualTo(10);
        assertThat(answer.getBoolean("complete").getValue()).isTrue();
        assertThat(answer.getArray("violations"))
                .isEqualTo(
                        BsonDocument.parse("{a: [{_id: 0, errors: [{path: '#/n', rule: 'type', message: 'string found,"
                                        + " integer expected'}]}, {_id: 3, errors: [{path: '#/n', rule: 'type', message: 'string"
                                        + " found, integer expected'}]}]}")
                                .getArray("a"));
    }
}
