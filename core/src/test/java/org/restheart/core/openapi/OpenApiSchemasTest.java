package org.restheart.core.openapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.CreateCollectionOptions;
import com.mongodb.client.model.ValidationAction;
import com.mongodb.client.model.ValidationOptions;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestMongo;

/// Schemas of the OpenAPI document: by samples, validators and stored schemas.
class OpenApiSchemasTest extends OpenApiFixture {
    @Test
    void samples_show_names_and_types_and_no_values() {
        var document = document("ada", "/_openapi");
        var properties = schema(document, "Books").getDocument("properties");
        assertThat(properties.getDocument("year").get("type"))
                .isEqualTo(json("{a: ['integer', 'null']}").get("a"));
        assertThat(properties.getDocument("tags").getDocument("items").get("type"))
                .isEqualTo(new BsonString("string"));
        assertThat(properties.getDocument("at").getString("$ref").getValue()).endsWith("/Date");
        assertThat(properties).doesNotContainKey("cost");
        var by = properties.getDocument("by").getString("$ref").getValue().replaceFirst(".*/", "");
        assertThat(schema(document, by).getDocument("additionalProperties").get("type"))
                .isEqualTo(new BsonString("integer"));
        assertThat(document.toString()).doesNotContain("example.org").doesNotContain("T1");
        assertThat(schema(document, "Books_address").getDocument("properties")).containsKeys("street", "zip");
    }

    @Test
    void a_list_is_a_component_where_values_have_other_types_too() {
        for (var value : List.of("[1]", "[2]", "{item: {a: 1}}", "{item: {a: 2}}", "null", "null")) {
            gateway.insert("unions", "{v: " + value + ", l: [1], n: " + (value.contains("a") ? "null" : "[1]") + "}");
        }
        refresh();
        var document = document("admin", "/_openapi/unions");
        var properties = schema(document, "Unions").getDocument("properties");
        assertThat(properties.getDocument("v").getArray("anyOf"))
                .containsExactly(
                        json("{$ref: '#/components/schemas/Unions_v'}"),
                        json("{$ref: '#/components/schemas/Unions_v.array_list'}"),
                        json("{type: 'null'}"));
        assertThat(schema(document, "Unions_v.array_list"))
                .isEqualTo(json("{type: 'array', items: {type: 'integer', format: 'int32'}}"));
        assertThat(schema(document, "Unions_v_item").getDocument("properties")).containsOnlyKeys("a");
        assertThat(properties.getDocument("l")).containsEntry("type", new BsonString("array"));
        assertThat(at(document, "paths", "/unions", "post", "requestBody", "content", "application/json", "schema")
                        .getArray("anyOf"))
                .containsExactly(
                        json("{$ref: '#/components/schemas/UnionsNew'}"),
                        json("{$ref: '#/components/schemas/UnionsNewList'}"));
    }

    @Test
    void fields_that_only_hidden_documents_have_are_not_described() {
        permit("own", "viewer", "path-prefix('/own')", "{readFilter: {owner: '@user._id'}}");
        gateway.insert("own", "{owner: 'bob', mine: 1}", "{owner: 'eve', z: 1}");
        refresh();
        var properties = schema(document("bob", "/_openapi"), "Own").getDocument("properties");
        assertThat(properties).containsKey("mine").doesNotContainKey("z");
        assertThat(schema(document("admin", "/_openapi"), "Own").getDocument("properties"))
                .containsKeys("mine", "z");
    }

    @Test
    void a_stored_schema_is_described_in_the_current_draft_as_soon_as_it_is_stored() {
        var admin = gateway.as("admin");
        admin.put("/_schemas", "{}");
        admin.put("/typed", "{\"jsonSchema\": {\"schemaId\": \"typed\"}}");
        admin.put(
                "/_schemas/typed?wm=upsert",
                "{\"type\": \"object\", \"required\": [\"title\"], \"description\": \"<img src=x onerror=alert(1)>\","
                        + " \"properties\": {\"_id\": {}, \"_etag\": {}, \"title\": {\"type\": \"string\"}, \"n\":"
                        + " {\"type\": \"number\", \"minimum\": 0, \"exclusiveMinimum\": true}, \"deep\": {\"type\":"
                        + " \"object\", \"properties\": {\"a\": {\"$ref\": \"#/definitions/x\"}}}}, \"definitions\":"
                        + " {\"x\": {\"type\": \"string\"}}}");
        var document = document("admin", "/_openapi/typed");
        var created = schema(document, "TypedNew");
        assertThat(created.getArray("required")).containsExactly(new BsonString("title"));
        assertThat(created.getDocument("properties").getDocument("n"))
                .isEqualTo(json("{type: 'number', exclusiveMinimum: 0}"));
        assertThat(created.getString("description").getValue()).isEqualTo("&lt;img src=x onerror=alert(1)&gt;");
        admin.put(
                "/_schemas/typed?wm=upsert",
                "{\"type\": \"object\", \"properties\": {\"later\": {\"type\": \"boolean\"}}}");
        assertThat(schema(document("admin", "/_openapi/typed"), "TypedNew").getDocument("properties"))
                .containsKey("later")
                .doesNotContainKey("title");
    }

    @Test
    void a_validator_is_described_as_far_as_MongoDB_enforces_it() {
        var validator =
                json("{$jsonSchema: {required: ['year'], properties: {year: {bsonType: 'int', maximum: 3000}}}}");
        for (var action : ValidationAction.values()) {
            gateway.database()
                    .createCollection(
                            "checked" + action.getValue(),
                            new CreateCollectionOptions()
                                    .validationOptions(new ValidationOptions()
                                            .validator(validator)
                                            .validationAction(action)));
        }
        refresh();
        var document = document("admin", "/_openapi");
        var enforced = schema(document, "CheckederrorNew");
        assertThat(enforced.getDocument("properties").getDocument("year"))
                .isEqualTo(json("{type: 'integer', format: 'int32', maximum: 3000}"));
        assertThat(enforced.getArray("required")).containsExactly(new BsonString("year"));
        assertThat(schema(document, "CheckedwarnNew")).doesNotContainKey("required");
    }

    @Test
    void variables_of_stored_aggregations_are_described() {
        gateway.as("admin")
                .put(
                        "/aggregated",
                        "{\"aggrs\": [{\"uri\": \"since\", \"type\": \"pipeline\", \"stages\": [{\"$match\":"
                                + " {\"year\": {\"$gte\": {\"$var\": \"from\"}}}}, {\"$limit\": {\"$var\": [\"n\", 5]}},"
                                + " {\"$match\": {\"owner\": {\"$var\": \"@user._id\"}}}]}]}");
        var operation = at(document("admin", "/_openapi/aggregated"), "paths", "/aggregated/_aggrs/since", "get");
        assertThat(operation.getArray("parameters").stream()
                        .map(BsonValue::asDocument)
                        .filter(parameter -> new BsonString("avars").equals(parameter.get("name"))))
                .hasSize(1)
                .allMatch(parameter -> parameter.getBoolean("required").getValue());
        assertThat(operation.getArray("parameters"))
                .contains(
                        json("{name: 'from', in: 'query', description: 'a variable of the pipeline, instead of"
                                + " `avars`', schema: {type: 'string'}}"),
                        json("{name: 'n', in: 'query', description: 'a variable of the pipeline, instead of `avars`',"
                                + " schema: {type: 'string'}}"));
        assertThat(operation.getDocument("x-variables"))
                .isEqualTo(json("{type: 'object', properties: {from: {}, n: {default: 5}}, required: ['from']}"));
    }

    @Test
    void concurrent_requests_share_one_sample() throws Exception {
        var database = gateway.database();
        var samples = TestMongo.profiled(database, "{ns: '" + database.getName() + ".books', op: 'query'}", () -> {
            try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
                Callable<Integer> ask =
                        () -> gateway.as("admin").get("/_openapi/books").statusCode();
                for (var answer : clients.invokeAll(
                        IntStream.range(0, 20).mapToObj(_ -> ask).toList())) {
                    assertThat(answer.get()).isEqualTo(200);
                }
            }
        });
        assertThat(samples).hasSize(2); // both ends
    }

    @ParameterizedTest
    @ValueSource(strings = {"relaxed", "strict", "extended"})
    void each_json_mode_has_a_document(String mode) {
        var document = document("admin", "/_openapi/books?jsonMode=" + mode);
        var cost = schema(document, "Books").getDocument("properties").getDocument("cost");
        assertThat(cost.containsKey("$ref")).isEqualTo(mode.equals("extended"));
        assertStatus(400, gateway.as("admin").get("/_openapi?jsonMode=shell"));
    }

    @Test
    void a_generic_document_looks_at_no_data() {
        var document = document("admin", "/_openapi?typed=false");
        assertThat(document.getDocument("paths")).containsKey("/{collection}");
        assertThat(document.getDocument("components").getDocument("schemas")).doesNotContainKey("Books");
        var misspelt = gateway.as("admin").get("/_openapi?type=false");
        assertThat(misspelt.statusCode()).isEqualTo(400);
        assertThat(misspelt.body()).contains("unknown parameter type; did you mean typed?");
        assertThat(gateway.as("admin").get("/_openapi?typed=no").statusCode()).isEqualTo(400);
        assertThat(gateway.as("admin").get("/_openapi?v=3").statusCode()).isEqualTo(200);
    }

    @Test
    void names_do_not_change_when_other_collections_come() {
        var before = document("ada", "/_openapi").getDocument("paths");
        assertThat(before).containsKey("/books");
        for (var name : List.of("books_new", "Books", "bücher", "date", "new")) {
            gateway.database().createCollection(name);
        }
        refresh();
        assertThat(document("admin", "/_openapi").getDocument("paths")).containsKey("/date");
        var after = document("ada", "/_openapi").getDocument("paths");
        before.forEach((path, item) -> assertThat(after.get(path)).isEqualTo(item));
    }

    @Test
    void declared_schemas_name_nothing_that_is_hidden_from_readers_and_writers_of_changes() {
        var admin = gateway.as("admin");
        assertStatus(201, admin.put("/_schemas", "{}"));
        assertStatus(201, admin.post("/_schemas", """
            {"_id": "thing", "type": "object",
             "definitions": {
               "Vault": {"type": "object", "properties": {"covert": {"type": "string"}}},
               "Home": {"type": "object", "properties": {"covert": {}, "city": {}}}},
             "properties": {
               "vault": {"$ref": "#/definitions/Vault"},
               "home": {"$ref": "#/definitions/Home"},
               "office": {"type": "object", "properties": {"covert": {}, "city": {}},
                 "additionalProperties": {"properties": {"covert": {}}},
                 "enum": [{"covert": 1}], "const": {"covert": 1}},
               "pair": {"type": "array", "items": [
                 {"type": "object", "properties": {"covert": {}, "left": {}}}]}}}
            """));
        assertStatus(201, admin.put("/things", "{\"jsonSchema\": {\"schemaId\": \"thing\"}}"));
        gateway.permit("{_id: 'schemas', roles: ['editor'], predicate: \"path('/_schemas/thing') and method(GET)\","
                + " mongo: {allowManagementRequests: true}}");
        gateway.permit(
                "{_id: 'things', roles: ['editor'], predicate: \"path-prefix('/things') and method(GET, PATCH)\","
                        + " mongo: {projectResponse: {vault: 0, 'home.covert': 0, 'office.covert': 0, 'pair.covert':"
                        + " 0}}}");
        refresh();
        var document = document("ada", "/_openapi/things");
        assertThat(at(document, "paths", "/things/{id}")).containsKeys("get", "patch");
        assertThat(document.toString())
                .doesNotContain("covert")
                .doesNotContain("Vault")
                .contains("city", "left");
        assertThat(document("admin", "/_openapi/things").toString()).contains("covert", "Vault");
    }
}
