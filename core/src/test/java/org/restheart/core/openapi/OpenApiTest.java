package org.restheart.core.openapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestMongo;

/// Paths, operations and parameters of the OpenAPI document, for each caller.
class OpenApiTest extends OpenApiFixture {
    private static final Set<String> SERVICES = Set.of("/_transactions", "/ping", "/roles/{user}");

    @Test
    void the_document_contains_what_the_account_may_do_and_nothing_else() {
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
    void equal_documents_have_equal_bytes_and_a_tag() {
        var first = gateway.as("ada").get("/_openapi");
        var second = gateway.as("ada").get("/_openapi");
        assertThat(second.body()).isEqualTo(first.body());
        var tag = first.headers().firstValue("etag").orElseThrow();
        var third = gateway.as("ada").with("If-None-Match", tag).get("/_openapi");
        assertStatus(304, third);
        assertThat(third.body()).isEmpty();
        assertThat(first.headers().firstValue("cache-control")).contains("private, no-cache");
        assertThat(first.headers().firstValue("vary").orElse(""))
                .contains("Authorization")
                .contains("Accept");
    }

    @Test
    void the_document_for_root_contains_everything() {
        var document = document("admin", "/_openapi");
        assertThat(schema(document, "Books").getDocument("properties")).containsKey("cost");
        assertThat(at(document, "paths", "/books")).containsKeys("get", "post", "put", "patch", "delete");
        assertThat(document.getDocument("paths")).containsKeys("/", "/unseen", "/books/*", "/books/_indexes/{index}");
        assertThat(names(at(document, "paths", "/books", "get"))).contains("filter", "pagesize", "sort");
    }

    @Test
    void the_document_for_anonymous_callers_contains_what_everybody_may_do() {
        var refused = gateway.anonymous().get("/_openapi");
        assertStatus(401, refused);
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
        assertStatus(401, wrong);
        assertThat(wrong.body()).contains("these credentials are not accepted");
        assertThat(gateway.anonymous().get("/_access").body()).contains("this needs an account");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/_openapi/nope", "/_openapi/users", "/_openapi/unseen", "/_openapi/books/1", "/_openapi/a/b/c"})
    void what_is_not_there_and_what_is_hidden_look_the_same(String path) {
        var missing = gateway.as("ada").get("/_openapi/missing");
        var response = gateway.as("ada").get(path);
        assertStatus(404, response);
        assertThat(response.body()).isEqualTo(missing.body());
        assertThat(document("ada", "/_openapi/books").getDocument("paths").keySet())
                .isNotEmpty()
                .allMatch(shown -> shown.startsWith("/books"));
    }

    @Test
    void an_operation_that_depends_on_the_request_says_so() {
        permit("one", "viewer", "path('/books/public')", "{}");
        var paths = document("bob", "/_openapi").getDocument("paths");
        assertThat(at(paths, "/books/{id}", "get").getString("description").getValue())
                .endsWith("An access rule decides per request.");
        assertThat(paths).doesNotContainKey("/books");
    }

    @Test
    void parameters_that_are_never_allowed_are_absent() {
        permit("page", "viewer", "path('/books') and method(GET) and qparams-whitelist(page)", "{}");
        var operation = at(document("bob", "/_openapi"), "paths", "/books", "get");
        assertThat(names(operation)).containsExactly("page", "If-None-Match");
    }

    @Test
    void a_permission_that_is_deleted_takes_its_operations_with_it() {
        permit("more", "editor", "path-prefix('/unseen')", "{}");
        assertThat(document("ada", "/_openapi").getDocument("paths")).containsKey("/unseen");
        gateway.as("admin").send("DELETE", "/acl/more", "");
        assertThat(document("ada", "/_openapi").getDocument("paths")).doesNotContainKey("/unseen");
    }

    @Test
    void many_collections_share_a_path() {
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
    void characters_beyond_the_basic_plane_are_what_they_are_in_yaml_too() {
        gateway.insert("emoji", "{_id: 1, '📚': 1, 'back\\\\ud83d': 1}");
        gateway.as("admin").send("PATCH", "/emoji", "{\"descr\": \"📚 books\"}");
        refresh();
        for (var type : List.of("application/yaml", "application/json")) {
            var text = gateway.as("admin")
                    .with("Accept", type)
                    .get("/_openapi/emoji")
                    .body();
            assertThat(text)
                    .contains("\"📚\"", "\"📚 books\"", "\"back\\\\ud83d\"")
                    .doesNotContain("\\udcda");
        }
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
        assertStatus(405, gateway.as("admin").post("/_openapi", "{}"));
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
            assertStatus(401, open.anonymous().get("/shown"));
        }
    }

    @Test
    void a_collection_that_says_so_is_left_out() {
        gateway.as("admin").put("/secretive", "{\"openapi\": false}");
        assertThat(document("admin", "/_openapi").getDocument("paths")).doesNotContainKey("/secretive");
        assertStatus(404, gateway.as("admin").get("/_openapi/secretive"));
    }
}
