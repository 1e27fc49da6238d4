package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Schemas that demand nothing, or let no document in, since a name is misspelt.
@WithMongo
class MistakesInSchemasTest {
    @AutoClose
    private static ConformanceGateway gateway;

    private final String db;

    MistakesInSchemasTest(TestMongo mongo) {
        db = mongo.newDatabaseName();
        for (var path : new String[] {"", "/_schemas", "/c"}) {
            send("PUT", path, "{}");
        }
    }

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = ConformanceGateway.of(ConformanceGateway.GUARDS
                + "mclient: {connection-string: '%s'}\nmongo: {mongo-mounts: [{what: '*', where: /}]}\n"
                        .formatted(mongo.connectionString())
                + ConformanceGateway.ACCOUNTS
                + ConformanceGateway.PERMISSIONS
                + "    - {role: public, predicate: path-prefix('/'), mongo: {allowManagementRequests: true,"
                + " mergeRequest: {jsonSchema: {schemaId: s}, aggrs: []}}}\n");
    }

    private HttpResponse<String> send(String method, String path, String body) {
        return gateway.as("admin").json(method, "/" + db + path, body);
    }

    private static void assertWarned(HttpResponse<String> response, String warning) {
        assertThat(response.statusCode()).as(response.body()).isBetween(200, 299);
        assertThat(response.headers().allValues("Warning")).contains("299 - \"" + warning + "\"");
        assertThat(response.body()).as("body").isNotEmpty();
        assertThat(BsonDocument.parse(response.body()).getArray("_warnings")).contains(new BsonString(warning));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {"require": ["a"]}  | the keyword require has no effect; did you mean required?
            {"propertis": {}}   | the keyword propertis has no effect; did you mean properties?
            {"allOf": [{"properties": {"a": {"tpye": "string"}}}]} \
            | the keyword allOf.properties.a.tpye has no effect; did you mean type?
            {"properties": {"a": {"bsonType": "string"}}} \
            | the keyword properties.a.bsonType has no effect: it is one of MongoDB's validators; a JSON Schema has type, \
            and its types are those of JSON
            {"$jsonSchema": {"required": ["a"]}} \
            | the keyword $jsonSchema has no effect: the schema is what would be within it
            {"$schema": "http://json-schema.org/draft-99/schema"} \
            | $schema names no known draft: the schema is one of draft-04
            """)
    void what_has_no_effect_is_warned_of(String schema, String warning) {
        assertWarned(send("POST", "/_schemas", schema), warning);
        assertWarned(send("PUT", "/_schemas/s?wm=upsert", schema), warning);
    }

    @Test
    void nothing_is_said_about_a_right_one() {
        var written = send("PUT", "/_schemas/s?wm=upsert", """
                {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "x-own": 1,
                 "properties": {"require": {"type": "string"}, "e": {"enum": [{"tpye": 1}]}, "n": {"$ref": "node"}},
                 "$defs": {"node": {"$id": "node", "type": "integer"}}, "required": []}
                """);
        assertStatus(201, written);
        assertThat(written.headers().firstValue("Warning")).isEmpty();
    }

    @Test
    void references_to_nothing_are_warned_of_and_named_when_they_fail() {
        var schema = "{\"_id\": \"refers\", \"properties\": {\"a\": {\"$ref\": \"nosuch\"}}}";
        assertWarned(
                send("POST", "/_schemas", schema),
                "the schema refers to " + db + "/_schemas/nosuch, which does not exist");
        assertWarned(
                send("PATCH", "/c", "{\"jsonSchema\": {\"schemaId\": \"refers\"}}"),
                "writes of documents will fail until there is a schema " + db + "/_schemas/nosuch, to which " + db
                        + "/_schemas/refers refers");
        var refused = send("POST", "/c", "{\"a\": 1}");
        assertStatus(500, refused);
        assertThat(refused.body()).contains("it refers to " + db + "/_schemas/nosuch, which does not exist");
        send("PUT", "/_schemas/nosuch?wm=upsert", "{\"type\": \"integer\"}");
        assertStatus(201, send("POST", "/c", "{\"a\": 1}"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            http://json-schema.org/draft-04/schema# | $id
            http://json-schema.org/draft-07/schema# | id
            """)
    void a_part_has_a_name_of_its_own_only_by_the_keyword_of_the_draft(String draft, String keyword) {
        var schema = """
                {"$schema": "%s", "properties": {"a": {"$ref": "nosuch"}},
                 "definitions": {"b": {"%s": "nosuch", "type": "string"}}}""".formatted(draft, keyword);
        assertWarned(
                send("PUT", "/_schemas/refers?wm=upsert", schema),
                "the schema refers to " + db + "/_schemas/nosuch, which does not exist");
        send("PATCH", "/c", "{\"jsonSchema\": {\"schemaId\": \"refers\"}}");
        var refused = send("POST", "/c", "{\"a\": \"x\"}");
        assertStatus(500, refused);
        assertThat(refused.body()).contains("it refers to " + db + "/_schemas/nosuch, which does not exist");
    }

    @Test
    void the_property_is_warned_of_in_the_body_too() {
        assertWarned(
                send("PATCH", "/c", "{\"jsonSchema\": {\"schemaId\": \"nosuch\"}}"),
                "every write of a document will fail until there is a schema " + db + "/_schemas/nosuch");
        assertWarned(
                send("PUT", "/c2", "{\"jsonSchema\": {\"schemaId\": \"nosuch\"}}"),
                "every write of a document will fail until there is a schema " + db + "/_schemas/nosuch");
        assertWarned(
                send("PATCH", "/c", "{\"jsonSchema\": {\"schemaId\": \"nosuch\", \"schemaStoreDB\": \"x\"}}"),
                "jsonSchema: schemaStoreDB has no effect; did you mean schemaStoreDb?");
        assertThat(send("PATCH", "/c", "{\"jsonSchema\": \"order\"}").body()).contains("schemaId\\\": ...");
    }

    @Test
    void what_permissions_write_instead_is_not_warned_of() {
        send("PUT", "/_schemas/s?wm=upsert", "{}");
        var content = "{\"jsonSchema\": {\"schemaId\": \"nosuch\"}, \"aggrs\": [{\"uri\": \"a\","
                + " \"type\": \"pipeline\", \"stages\": [{\"$out\": \"x\"}]}]}";
        assertThat(send("PATCH", "/c", content).headers().allValues("Warning")).hasSize(2);
        var merged = gateway.as("bob").json("PATCH", "/" + db + "/c", content);
        assertStatus(200, merged);
        assertThat(merged.headers().allValues("Warning")).isEmpty();
    }

    @Test
    void a_misspelt_parameter_of_violations_is_warned_of() {
        send("PUT", "/_schemas/s?wm=upsert", "{}");
        send("PATCH", "/c", "{\"jsonSchema\": {\"schemaId\": \"s\"}}");
        assertThat(send("GET", "/c/_violations?schem=s", "").headers().allValues("Warning"))
                .contains("299 - \"unknown parameter schem; did you mean schema?\"");
        assertThat(send("GET", "/c/_violations?schema=s", "").headers().allValues("Warning"))
                .isEmpty();
    }
}
