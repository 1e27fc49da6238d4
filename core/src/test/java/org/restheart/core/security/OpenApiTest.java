package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.model.CreateCollectionOptions;
import com.mongodb.client.model.ValidationAction;
import com.mongodb.client.model.ValidationOptions;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The OpenAPI document as its readers see it.
@WithMongo
class OpenApiTest {
    private static final Set<String> SERVICES = Set.of("/ping", "/roles/{user}");

    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "openApi: {max-collections: 20}\n");
        gateway.permit("{_id: 'books', roles: ['editor'], predicate: \"path-prefix('/books') and method(GET, POST)\","
                + " mongo: {projectResponse: {cost: 0}}}");
        var by = new BsonDocument();
        IntStream.range(0, 40).forEach(i -> by.append("reader" + i + "@example.org", new BsonInt32(i)));
        for (int i = 0; i < 20; i++) {
            var book = BsonDocument.parse("{title: 'T" + i + "', year: " + (i % 2 == 0 ? "null" : "19" + (10 + i))
                    + ", cost: 1.5, tags: ['a'], at: {$date: '2026-01-01T00:00:00Z'}, address: {street: 's', zip: 1}}");
            gateway.collection("books").insertOne(book.append("by", by));
        }
        gateway.collection("books").createIndex(BsonDocument.parse("{year: 1}"));
        gateway.insert("unseen", "{_id: 1, hidden: 1}");
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    /// Leaves to every test what the first found.
    @AfterEach
    void clean() {
        var admin = gateway.as("admin");
        for (var permission : gateway.collection("acl").find().into(new ArrayList<>())) {
            var id = permission.getString("_id").getValue();
            if (!id.equals("books")) {
                admin.send("DELETE", "/acl/" + id, "");
            }
        }
        for (var name : gateway.database().listCollectionNames().into(new ArrayList<>())) {
            if (!Set.of("books", "unseen", "acl", "users", "_properties").contains(name)
                    && !name.startsWith("system.")) {
                gateway.collection(name).drop();
            }
        }
        gateway.collection("_properties").deleteMany(new BsonDocument());
        refresh();
    }

    /// What tests change in MongoDB is known to the gateway from now on.
    private static void refresh() {
        var response = gateway.as("admin").post("/ic?db=" + gateway.database().getName(), "");
        assertThat(response.statusCode()).isEqualTo(200);
    }

    private static BsonDocument valid(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return OpenApiDocuments.checked(response.body());
    }

    private BsonDocument document(String account, String path) {
        return valid(gateway.as(account).get(path));
    }

    private static BsonDocument at(BsonDocument document, String... names) {
        for (var name : names) {
            assertThat(document).as(document.keySet().toString()).containsKey(name);
            document = document.getDocument(name);
        }
        return document;
    }

    private static BsonDocument schema(BsonDocument document, String name) {
        return at(document, "components", "schemas", name);
    }

    private static List<String> names(BsonDocument operation) {
        return operation.getArray("parameters", new BsonArray()).stream()
                .map(BsonValue::asDocument)
                .map(parameter -> parameter.containsKey("$ref")
                        ? parameter.getString("$ref").getValue().replaceFirst(".*/", "")
                        : parameter.getString("name").getValue())
                .toList();
    }

    private static BsonDocument json(String json) {
        return BsonDocument.parse(json);
    }

    @Test
    void V1_an_account_is_shown_what_it_may_do_and_nothing_else() {
        var document = document("ada", "/_openapi");
        assertThat(document.getString("openapi").getValue()).startsWith("3.1");
        var paths = document.getDocument("paths");
        assertThat(paths).containsKeys("/books", "/books/{id}");
        assertThat(paths.keySet())
                .filteredOn(path -> !SERVICES.contains(path))
                .allMatch(path -> path.startsWith("/books"));
        assertThat(at(paths, "/books")).containsKeys("get", "post").doesNotContainKeys("patch", "put", "delete");
        assertThat(at(paths, "/books/{id}")).containsKey("get").doesNotContainKeys("patch", "put", "delete");
        assertThat(document.toString()).doesNotContain("unseen").doesNotContain("cost");
    }

    @Test
    void V2_equal_documents_have_equal_bytes_and_a_tag() {
        var first = gateway.as("ada").get("/_openapi");
        var second = gateway.as("ada").get("/_openapi");
        assertThat(second.body()).isEqualTo(first.body());
        var tag = first.headers().firstValue("etag").orElseThrow();
        var third = gateway.as("ada").with("If-None-Match", tag).get("/_openapi");
        assertThat(third.statusCode()).isEqualTo(304);
        assertThat(third.body()).isEmpty();
        assertThat(first.headers().firstValue("cache-control")).contains("private, no-cache");
        assertThat(first.headers().firstValue("vary").orElse(""))
                .contains("Authorization")
                .contains("Accept");
    }

    @Test
    void V3_samples_show_names_and_types_and_no_values() {
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
    void V4_root_is_shown_everything() {
        var document = document("admin", "/_openapi");
        assertThat(schema(document, "Books").getDocument("properties")).containsKey("cost");
        assertThat(at(document, "paths", "/books")).containsKeys("get", "post", "put", "patch", "delete");
        assertThat(document.getDocument("paths")).containsKeys("/", "/unseen", "/books/*", "/books/_indexes/{index}");
        assertThat(names(at(document, "paths", "/books", "get"))).contains("filter", "pagesize", "sort");
    }

    @Test
    void V5_anonymous_callers_are_shown_what_everybody_may_do() {
        var refused = gateway.anonymous().get("/_openapi");
        assertThat(refused.statusCode()).isEqualTo(401);
        assertThat(refused.headers().firstValue("www-authenticate")).isPresent();
        assertThat(refused.body()).contains("this needs an account");
        gateway.as("admin")
                .post(
                        "/acl",
                        "{\"_id\": \"all\", \"roles\": [\"$unauthenticated\"], \"predicate\": \"path('/books') and"
                                + " method(GET)\"}");
        var document = valid(gateway.anonymous().get("/_openapi"));
        assertThat(document.getDocument("paths").keySet())
                .filteredOn(path -> !SERVICES.contains(path))
                .containsExactly("/books");
        assertThat(at(document, "paths", "/books").keySet()).containsExactly("get");
        assertThat(at(document, "paths", "/books", "get").getArray("security").getFirst())
                .isEqualTo(new BsonDocument());
        var wrong = gateway.anonymous().as("ada", "wrong").get("/_openapi");
        assertThat(wrong.statusCode()).isEqualTo(401);
        assertThat(wrong.body()).contains("these credentials are not accepted");
        assertThat(gateway.anonymous().get("/_access").body()).contains("this needs an account");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/_openapi/nope", "/_openapi/users", "/_openapi/unseen", "/_openapi/books/1", "/_openapi/a/b/c"})
    void V6_what_is_not_there_and_what_is_hidden_look_the_same(String path) {
        var missing = gateway.as("ada").get("/_openapi/missing");
        var response = gateway.as("ada").get(path);
        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(response.body()).isEqualTo(missing.body());
        assertThat(document("ada", "/_openapi/books").getDocument("paths").keySet())
                .isNotEmpty()
                .allMatch(shown -> shown.startsWith("/books"));
    }

    private void permit(String id, String role, String predicate, String mongo) {
        gateway.as("admin")
                .post(
                        "/acl",
                        new BsonDocument("_id", new BsonString(id))
                                .append("roles", new BsonArray(List.of(new BsonString(role))))
                                .append("predicate", new BsonString(predicate))
                                .append("mongo", json(mongo))
                                .toJson());
    }

    @Test
    void V7_what_depends_on_the_request_is_told_so() {
        permit("one", "viewer", "path('/books/public')", "{}");
        var paths = document("bob", "/_openapi").getDocument("paths");
        assertThat(at(paths, "/books/{id}", "get").getString("description").getValue())
                .endsWith("An access rule decides per request.");
        assertThat(paths).doesNotContainKey("/books");
    }

    @Test
    void V8_parameters_that_are_never_allowed_are_absent() {
        permit("page", "viewer", "path('/books') and method(GET) and qparams-whitelist(page)", "{}");
        var operation = at(document("bob", "/_openapi"), "paths", "/books", "get");
        assertThat(names(operation)).containsExactly("page");
    }

    @Test
    void V9_fields_of_other_peoples_documents_do_not_show() {
        permit("own", "viewer", "path-prefix('/own')", "{readFilter: {owner: '@user._id'}}");
        gateway.insert("own", "{owner: 'bob', mine: 1}", "{owner: 'eve', z: 1}");
        refresh();
        var properties = schema(document("bob", "/_openapi"), "Own").getDocument("properties");
        assertThat(properties).containsKey("mine").doesNotContainKey("z");
        assertThat(schema(document("admin", "/_openapi"), "Own").getDocument("properties"))
                .containsKeys("mine", "z");
    }

    @Test
    void V10_V12_V15_a_stored_schema_is_shown_in_todays_form_as_soon_as_it_is_stored() {
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
    void V11_a_validator_is_shown_as_far_as_it_is_enforced() {
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
    void V13_a_permission_that_is_deleted_takes_its_operations_with_it() {
        permit("more", "editor", "path-prefix('/unseen')", "{}");
        assertThat(document("ada", "/_openapi").getDocument("paths")).containsKey("/unseen");
        gateway.as("admin").send("DELETE", "/acl/more", "");
        assertThat(document("ada", "/_openapi").getDocument("paths")).doesNotContainKey("/unseen");
    }

    @Test
    void V14_variables_of_stored_aggregations_are_told() {
        gateway.as("admin")
                .put(
                        "/aggregated",
                        "{\"aggrs\": [{\"uri\": \"since\", \"type\": \"pipeline\", \"stages\": [{\"$match\": {\"year\":"
                                + " {\"$gte\": {\"$var\": \"from\"}}}}, {\"$limit\": {\"$var\": [\"n\", 5]}}, {\"$match\":"
                                + " {\"owner\": {\"$var\": \"@user._id\"}}}]}]}");
        var operation = at(document("admin", "/_openapi/aggregated"), "paths", "/aggregated/_aggrs/since", "get");
        assertThat(operation.getArray("parameters").stream()
                        .map(BsonValue::asDocument)
                        .filter(parameter -> new BsonString("avars").equals(parameter.get("name"))))
                .hasSize(1)
                .allMatch(parameter -> parameter.getBoolean("required").getValue());
        assertThat(operation.getDocument("x-variables"))
                .isEqualTo(json("{type: 'object', properties: {from: {}, n: {default: 5}}, required: ['from']}"));
    }

    @Test
    void V16_many_collections_share_a_path() {
        for (int i = 0; i < 25; i++) {
            gateway.database().createCollection("many" + i);
        }
        refresh();
        var document = document("admin", "/_openapi");
        assertThat(document.getDocument("paths")).containsKeys("/{collection}", "/{collection}/{id}");
        assertThat(document.toString()).contains("many24");
        assertThat(document.getDocument("info").getArray("x-scopes")).contains(new BsonString("/_openapi/many24"));
    }

    @Test
    void V18_who_asks_at_once_is_answered_by_one_sample() throws Exception {
        var database = gateway.database();
        database.runCommand(json("{profile: 2}"));
        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<Integer> ask =
                    () -> gateway.as("admin").get("/_openapi/books").statusCode();
            for (var answer :
                    clients.invokeAll(IntStream.range(0, 20).mapToObj(_ -> ask).toList())) {
                assertThat(answer.get()).isEqualTo(200);
            }
        }
        database.runCommand(json("{profile: 0}"));
        var samples = gateway.collection("system.profile")
                .countDocuments(json("{ns: '" + database.getName() + ".books', op: 'query'}"));
        assertThat(samples).isEqualTo(2); // both ends
    }

    @ParameterizedTest
    @ValueSource(strings = {"relaxed", "strict", "extended"})
    void V20_every_spelling_has_a_document(String mode) {
        var document = document("admin", "/_openapi/books?jsonMode=" + mode);
        var cost = schema(document, "Books").getDocument("properties").getDocument("cost");
        assertThat(cost.containsKey("$ref")).isEqualTo(mode.equals("extended"));
        assertThat(gateway.as("admin").get("/_openapi?jsonMode=shell").statusCode())
                .isEqualTo(400);
    }

    @Test
    void a_generic_document_looks_at_no_data() {
        var document = document("admin", "/_openapi?typed=false");
        assertThat(document.getDocument("paths")).containsKey("/{collection}");
        assertThat(document.getDocument("components").getDocument("schemas")).doesNotContainKey("Books");
    }

    @Test
    void yaml_says_the_same() {
        var yaml = gateway.as("ada").with("Accept", "application/yaml").get("/_openapi");
        assertThat(yaml.headers().firstValue("content-type")).contains("application/yaml");
        assertThat(yaml.body()).startsWith("\"openapi\": \"3.1.0\"\n");
        var settings = org.snakeyaml.engine.v2.api.LoadSettings.builder()
                .setCodePointLimit(Integer.MAX_VALUE)
                .build();
        var parsed = new org.snakeyaml.engine.v2.api.Load(settings).loadFromString(yaml.body());
        var json = new org.snakeyaml.engine.v2.api.Load(settings)
                .loadFromString(gateway.as("ada").get("/_openapi").body());
        assertThat(parsed).isEqualTo(json);
    }

    @Test
    void other_methods_are_refused() {
        assertThat(gateway.as("admin").post("/_openapi", "{}").statusCode()).isEqualTo(405);
    }

    @Test
    void a_public_document_says_everything_but_what_is_excluded(TestMongo mongo) {
        try (var open = TestGateway.start(
                mongo,
                "core: {name: Library}\nopenApi: {mode: everything, public-document: true, exclude: ['/sec*']}\n")) {
            open.insert("shown", "{_id: 1, a: 1}");
            open.insert("secret", "{_id: 1, a: 1}");
            var document = valid(open.anonymous().get("/_openapi"));
            assertThat(document.getDocument("info").getString("title").getValue())
                    .isEqualTo("Library");
            assertThat(document.getDocument("paths")).containsKey("/shown").doesNotContainKey("/secret");
            assertThat(at(document, "paths", "/shown")).containsKeys("get", "post", "put", "delete");
            assertThat(open.anonymous().get("/shown").statusCode()).isEqualTo(401);
        }
    }

    @Test
    void a_collection_that_says_so_is_left_out() {
        gateway.as("admin").put("/secretive", "{\"openapi\": false}");
        assertThat(document("admin", "/_openapi").getDocument("paths")).doesNotContainKey("/secretive");
        assertThat(gateway.as("admin").get("/_openapi/secretive").statusCode()).isEqualTo(404);
    }

    @Test
    void names_do_not_change_when_other_collections_come() {
        var before = document("ada", "/_openapi").getDocument("paths");
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
        assertThat(admin.put("/_schemas", "{}").statusCode()).isEqualTo(201);
        assertThat(admin.post("/_schemas", """
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
                                """).statusCode()).isEqualTo(201);
        assertThat(admin.put("/things", "{\"jsonSchema\": {\"schemaId\": \"thing\"}}")
                        .statusCode())
                .isEqualTo(201);
        gateway.permit("{_id: 'schemas', roles: ['editor'], predicate: \"path('/_schemas/thing') and method(GET)\","
                + " mongo: {allowManagementRequests: true}}");
        gateway.permit(
                "{_id: 'things', roles: ['editor'], predicate: \"path-prefix('/things') and method(GET, PATCH)\","
                        + " mongo: {projectResponse: {vault: 0, 'home.covert': 0, 'office.covert': 0, 'pair.covert': 0}}}");
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
