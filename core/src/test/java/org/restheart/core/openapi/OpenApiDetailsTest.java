package org.restheart.core.openapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.List;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

/// Details of the OpenAPI document that follow from permissions, indexes, stored schemas and stored pipelines.
class OpenApiDetailsTest extends OpenApiFixture {
    private static List<BsonDocument> parameters(BsonDocument operation) {
        return operation.getArray("parameters").stream()
                .map(BsonValue::asDocument)
                .toList();
    }

    private static BsonDocument parameter(BsonDocument operation, String name) {
        return parameters(operation).stream()
                .filter(parameter -> new BsonString(name).equals(parameter.get("name")))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is not in " + operation));
    }

    @Test
    void passwords_are_written_and_never_read() {
        var document = document("admin", "/_openapi/users");
        assertThat(schema(document, "Users").getDocument("properties"))
                .containsKey("roles")
                .doesNotContainKey("password");
        for (var name : List.of("UsersNew", "UsersPatch")) {
            assertThat(schema(document, name).getDocument("properties"))
                    .containsEntry("password", json("{type: 'string', writeOnly: true}"));
        }
        assertThat(document.toString()).doesNotContain("$2a$");
    }

    @Test
    void what_a_permission_sets_or_allows_is_marked_in_requests() {
        permit(
                "writer",
                "viewer",
                "path-prefix('/written') and method(GET, POST) and bson-request-whitelist(a, owner)",
                "{mergeRequest: {owner: '@user._id'}}");
        gateway.insert("written", "{_id: 'x', a: 1, b: 1, owner: 'o'}");
        refresh();
        var document = document("bob", "/_openapi/written");
        var created = schema(document, "WrittenNew").getDocument("properties");
        assertThat(created).containsOnlyKeys("a", "owner");
        assertThat(created.getDocument("owner")).containsEntry("readOnly", BsonBoolean.TRUE);
        assertThat(created.getDocument("a")).doesNotContainKey("readOnly");
        assertThat(names(at(document, "paths", "/written", "post"))).doesNotContain("wm");
        assertThat(names(at(document("admin", "/_openapi/written"), "paths", "/written", "post")))
                .contains("wm");
    }

    @Test
    void a_collection_whose_path_belongs_to_a_service_is_not_described() {
        gateway.insert("ping", "{_id: 1}");
        gateway.insert("_access", "{_id: 1}");
        refresh();
        var paths = document("admin", "/_openapi").getDocument("paths");
        assertThat(at(paths, "/ping").keySet()).containsExactly("get");
        assertThat(at(paths, "/ping", "get")).containsEntry("operationId", new BsonString("ping"));
        assertThat(paths).doesNotContainKeys("/ping/{id}", "/_access", "/_access/{id}");
        assertStatus(404, gateway.as("admin").get("/_openapi/ping"));
        assertThat(gateway.as("admin").get("/_access").body())
                .contains("/books")
                .doesNotContain("/ping");
    }

    @Test
    void a_read_filter_is_told_of_and_not_shown() {
        permit("limited", "viewer", "path('/limited') and method(GET)", "{readFilter: {covert: 'value'}}");
        gateway.insert("limited", "{_id: 1}");
        refresh();
        var document = document("bob", "/_openapi/limited");
        assertThat(at(document, "paths", "/limited", "get")
                        .getString("description")
                        .getValue())
                .contains("Limited by an access rule.");
        assertThat(document.toString()).doesNotContain("covert");
    }

    @Test
    void indexes_are_told_of_at_their_fields() {
        var places = gateway.collection("places");
        gateway.insert("places", "{_id: 'p', at: {type: 'Point', coordinates: [1, 2]}, code: 'c', seen: {$date: 0}}");
        places.createIndex(json("{at: '2dsphere'}"));
        places.createIndex(json("{code: 1}"), new com.mongodb.client.model.IndexOptions().unique(true));
        places.createIndex(
                json("{seen: 1}"),
                new com.mongodb.client.model.IndexOptions()
                        .expireAfter(1L << 30, java.util.concurrent.TimeUnit.SECONDS));
        places.createIndex(json("{note: 'text'}"));
        refresh();
        var document = document("admin", "/_openapi/places");
        var properties = schema(document, "Places").getDocument("properties");
        assertThat(properties.getDocument("at").getString("$ref").getValue()).endsWith("/GeoJson");
        assertThat(properties.getDocument("code")).containsEntry("description", new BsonString("unique"));
        assertThat(properties.getDocument("seen").getString("description").getValue())
                .contains("removed 1073741824 seconds after");
        assertThat(parameter(at(document, "paths", "/places", "get"), "filter")
                        .getString("example")
                        .getValue())
                .contains("$text");
    }

    @Test
    void examples_of_parameters_name_fields_of_the_collection_and_no_values() {
        gateway.insert("papers", "{_id: 'p', covert: 'c', pages: 7}");
        gateway.insert("notes", "{_id: 'n', 'not a name': 1, text: 'secret'}");
        permit("papers", "viewer", "path-prefix('/papers') and method(GET)", "{projectResponse: {covert: 0}}");
        permit("drop", "viewer", "path-prefix('/notes') and method(POST)", "{}");
        refresh();
        var list = at(document("bob", "/_openapi/papers"), "paths", "/papers", "get");
        assertThat(parameter(list, "filter")).containsEntry("example", new BsonString("{\"pages\": 1}"));
        assertThat(parameter(list, "keys")).containsEntry("example", new BsonString("{\"pages\": 1}"));
        assertThat(parameter(list, "sort")).containsEntry("example", new BsonString("pages"));
        var notes = document("admin", "/_openapi/notes");
        assertThat(parameter(at(notes, "paths", "/notes", "get"), "filter"))
                .containsEntry("example", new BsonString("{\"text\": \"…\"}"));
        assertThat(parameter(at(notes, "paths", "/notes/*", "delete"), "filter"))
                .containsEntry("required", BsonBoolean.TRUE);
        assertThat(document("bob", "/_openapi/notes").toString()).doesNotContain("\"text\"");
    }

    @Test
    void examples_name_indexed_fields_only_to_callers_who_may_list_indexes() {
        gateway.insert("indexed", "{_id: 'p', first: 1, wanted: 7}");
        gateway.collection("indexed").createIndex(json("{wanted: 1}"));
        permit("indexed", "viewer", "path-prefix('/indexed') and method(GET)", "{}");
        permit("managed", "editor", "path-prefix('/indexed') and method(GET)", "{allowManagementRequests: true}");
        refresh();
        for (var account : List.of("bob", "ada")) {
            boolean lists = account.equals("ada");
            var list = at(document(account, "/_openapi/indexed"), "paths", "/indexed", "get");
            assertThat(parameter(list, "sort")).containsEntry("example", new BsonString(lists ? "wanted" : "first"));
            assertThat(gateway.as(account).get("/indexed/_indexes").statusCode())
                    .isEqualTo(lists ? 200 : 403);
        }
        var others = document("bob", "/_openapi/indexed");
        assertThat(at(others, "components", "parameters", "hint").toString()).doesNotContain("wanted");
    }

    @Test
    void what_caches_are_told_and_warnings_are_described() {
        gateway.insert("cached", "{_id: 'w'}");
        refresh();
        var document = document("admin", "/_openapi/cached");
        for (var path : List.of("/cached", "/cached/{id}", "/cached/_size")) {
            for (var status : List.of("200", "304")) {
                assertThat(at(document, "paths", path, "get", "responses", status, "headers"))
                        .as(path + " " + status)
                        .containsKeys("ETag", "Vary", "Cache-Control", "Warning");
            }
        }
        assertThat(at(document, "paths", "/cached/_indexes", "get", "responses", "304", "headers"))
                .containsKeys("ETag", "Vary")
                .doesNotContainKey("Cache-Control");
        assertThat(at(document, "paths", "/cached", "post", "responses", "201", "headers"))
                .containsKey("Warning")
                .doesNotContainKeys("Vary", "Cache-Control");
        assertThat(at(document, "components", "headers")).containsOnlyKeys("Warning", "Vary", "Cache-Control");
    }

    @Test
    void preconditions_preferences_and_forms_of_writes_are_described() {
        gateway.insert("written", "{_id: 'w', n: 1}");
        refresh();
        var document = document("admin", "/_openapi/written");
        var replace = at(document, "paths", "/written/{id}", "put");
        assertThat(names(replace)).contains("If-Match", "IfNoneMatchOfWrites", "Prefer");
        assertThat(at(document, "components", "parameters", "IfNoneMatchOfWrites"))
                .containsEntry("name", new BsonString("If-None-Match"));
        assertThat(names(at(document, "paths", "/written", "post"))).contains("Prefer", "Idempotency-Key", "rep");
        for (var write : List.of(
                at(document, "paths", "/written/{id}", "delete"),
                at(document, "paths", "/written/{id}", "patch"),
                at(document, "paths", "/written/*", "delete"))) {
            assertThat(names(write)).containsAnyOf("Prefer", "PreferOfMany");
            var done = write.getDocument("responses");
            var status = done.getDocument(done.containsKey("200") ? "200" : "204");
            assertThat(status.getDocument("headers")).containsKey("Preference-Applied");
        }
        assertThat(at(document, "components", "parameters", "Prefer").toString())
                .contains("tx=rollback", "return=representation");
        for (var content : List.of(
                at(replace, "requestBody", "content"),
                at(document, "paths", "/written/{id}", "patch", "requestBody", "content"))) {
            assertThat(content).containsKeys("application/json", "application/x-www-form-urlencoded");
        }
        var id = at(document, "paths", "/written/{id}")
                .getArray("parameters")
                .getFirst()
                .asDocument();
        assertThat(id.getDocument("schema").getString("pattern").getValue())
                .satisfies(pattern -> assertThat(List.of("a", "_null", "_sizes", "a*"))
                        .allMatch(name -> java.util.regex.Pattern.compile(pattern)
                                .matcher(name)
                                .find()))
                .satisfies(pattern -> assertThat(List.of("*", "_size", "_validator", "_aggrs"))
                        .noneMatch(name -> java.util.regex.Pattern.compile(pattern)
                                .matcher(name)
                                .find()));
        assertThat(at(document, "paths", "/written/{id}", "get", "responses", "200", "content"))
                .containsKeys("application/json", "application/x-ndjson", "text/csv", "application/bson");
    }

    @Test
    void a_text_index_over_hidden_fields_is_hidden() {
        gateway.insert("texts", "{_id: 1, shown: 1, covert: 'x'}");
        gateway.collection("texts").createIndex(json("{covert: 'text'}"));
        permit(
                "texts",
                "viewer",
                "path-prefix('/texts')",
                "{allowManagementRequests: true, projectResponse: {covert: 0}}");
        refresh();
        assertThat(document("bob", "/_openapi/texts").toString())
                .contains("shown")
                .doesNotContain("covert", "$text");
    }

    @Test
    void documents_whose_id_the_client_chooses_are_linked() {
        gateway.insert("chosen", "{_id: 'x', n: 1}");
        refresh();
        var document = document("admin", "/_openapi");
        var answers = at(document, "paths", "/chosen", "post", "responses");
        assertThat(answers.getDocument("201").getDocument("links").getDocument("getChosenById"))
                .isEqualTo(json("{operationId: 'getChosenById', parameters: {id: '$request.body#/_id'}}"));
        assertThat(at(document, "paths", "/books", "post", "responses").getDocument("201"))
                .doesNotContainKey("links"); // the gateway makes those ids
        assertThat(at(document, "paths", "/books", "get", "responses", "200", "headers"))
                .containsKeys("ETag", "Link", "X-Count-Strategy");
    }

    @Test
    void schemas_that_a_schema_refers_to_are_shown_to_those_who_may_read_them() {
        var admin = gateway.as("admin");
        admin.put("/_schemas", "{}");
        admin.post("/_schemas", """
            {"_id": "city", "type": "object", "properties": {"inner": {"$ref": "city"}, "zip": {"type": "string"}}}\
            """);
        admin.post("/_schemas", """
            {"_id": "person", "type": "object", "properties": {"_id": {}, "_etag": {}, "name": {"type": "string"},
              "home": {"$ref": "city"}, "work": {"$ref": "http://schema-store/$db/city#"},
              "other": {"$ref": "http://elsewhere.example/x"}, "none": {"$ref": "nothing"}}}\
            """.replace("$db", gateway.database().getName()));
        assertStatus(201, admin.put("/people", "{\"jsonSchema\": {\"schemaId\": \"person\"}}"));
        permit(
                "people",
                "viewer",
                "path-prefix('/people') or path('/_schemas/person')",
                "{allowManagementRequests: true}");
        refresh();
        var document = document("admin", "/_openapi/people");
        var created = schema(document, "PeopleNew").getDocument("properties");
        var home = created.getDocument("home").getString("$ref").getValue().replaceFirst(".*/", "");
        assertThat(created.getDocument("work")).isEqualTo(created.getDocument("home"));
        assertThat(schema(document, home).getDocument("properties"))
                .containsEntry("zip", json("{type: 'string'}"))
                .containsEntry("inner", created.getDocument("home"));
        assertThat(created.getDocument("other")).doesNotContainKey("$ref");
        assertThat(created.getDocument("none")).doesNotContainKey("$ref");
        var hidden = document("bob", "/_openapi/people").toString();
        assertThat(hidden).contains("home").doesNotContain("zip");
    }

    @Test
    void variables_have_the_types_of_the_fields_that_they_are_compared_with() {
        gateway.insert("sold", "{_id: 'a', year: 2000, at: {$date: 0}, price: {eur: 1.5}, name: 'x', mixed: 1}");
        gateway.insert("sold", "{_id: 'b', year: null, at: {$date: 0}, price: {eur: 1.5}, name: 'x', mixed: 'one'}");
        refresh();
        gateway.as("admin").put("/sold", """
            {"aggrs": [{"uri": "since", "type": "pipeline", "stages": [
              {"$match": {"year": {"$gte": {"$var": "from"}}, "at": {"$lt": {"$var": "before"}}}},
              {"$ifvar": ["name", {"$match": {"$or": [{"name": {"$in": [{"$var": "name"}]}}, {"price.eur": {"$var": "price"}}]}}]},
              {"$match": {"mixed": {"$var": "mixed"}, "name": {"$ne": {"$var": "either"}}, "year": {"$ne": {"$var": "either"}}}},
              {"$group": {"_id": "$name"}}, {"$match": {"year": {"$var": "later"}}}]}],
             "streams": [{"uri": "mine", "stages": [], "notify_when": {"fullDocument::name": {"$var": "who"}},
              "notify_when_required": true}]}\
            """);
        var document = document("admin", "/_openapi/sold");
        var variables = at(document, "paths", "/sold/_aggrs/since", "get", "x-variables", "properties");
        assertThat(variables.getDocument("from").get("type")).isEqualTo(new BsonString("integer"));
        assertThat(variables.getDocument("before").getString("$ref").getValue()).endsWith("/Date");
        assertThat(variables.getDocument("name").get("type")).isEqualTo(new BsonString("string"));
        assertThat(variables.getDocument("price").get("type")).isEqualTo(new BsonString("number"));
        for (var open : List.of("mixed", "either", "later")) {
            assertThat(variables.getDocument(open)).as(open).isEmpty();
        }
        assertThat(at(document, "paths", "/sold/_aggrs/since", "get", "responses", "200", "content")
                        .getDocument("application/json")
                        .getDocument("schema")
                        .getDocument("items")
                        .getString("$ref")
                        .getValue())
                .satisfies(reference -> assertThat(schema(document, reference.replaceFirst(".*/", ""))
                                .getDocument("properties"))
                        .containsOnlyKeys("_id"));
        var stream = at(document, "paths", "/sold/_streams/mine", "get");
        assertThat(names(stream)).contains("resumeAfter", "startAtOperationTime", "jsonMode");
        assertThat(parameter(stream, "who")).containsEntry("required", BsonBoolean.TRUE);
    }
}
