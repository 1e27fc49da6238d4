package org.restheart.core.openapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What the keys of `openApi` do, and the property of that name of a collection.
@WithMongo
class OpenApiSettingsTest {
    private final TestMongo mongo;

    OpenApiSettingsTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    private void with(String keys, Consumer<TestGateway> test) {
        try (var gateway = TestGateway.start(mongo, "openApi: {" + keys + "}\n")) {
            gateway.insert(
                    "books",
                    "{_id: 'a', title: 'x', mail: 'a@example.org', at: '2026-01-02T03:04:05Z', day: '2026-01-02'}",
                    "{_id: 'b', title: 'y', mail: 'b@example.org', at: '2026-01-02T03:04:05.678+01:00', day:"
                            + " 'Monday'}");
            test.accept(gateway);
        }
    }

    private static BsonDocument document(TestGateway gateway, String account, String path) {
        return OpenApiFixture.valid(gateway.as(account).get(path));
    }

    private static BsonDocument properties(TestGateway gateway) {
        return OpenApiFixture.schema(document(gateway, "admin", "/_openapi/books"), "Books")
                .getDocument("properties");
    }

    @Test
    void without_samples_nothing_is_known_of_documents() {
        with("sample-size: 0", gateway -> assertThat(properties(gateway)).containsOnlyKeys("_id", "_etag"));
    }

    @Test
    void a_sample_has_as_many_documents_as_configured() {
        with("sample-size: 4", gateway -> {
            IntStream.range(0, 10).forEach(i -> gateway.insert("few", "{_id: " + i + ", f" + i + ": 1}"));
            var few = OpenApiFixture.schema(document(gateway, "admin", "/_openapi/few"), "Few");
            assertThat(few.getDocument("properties")).containsOnlyKeys("_id", "_etag", "f0", "f1", "f8", "f9");
        });
    }

    @Test
    void shares_and_formats_are_told_as_configured() {
        with("x-fields: true", gateway -> {
            var title = properties(gateway).getDocument("mail");
            assertThat(title).containsKey("x-share").doesNotContainKey("format");
        });
        with("x-fields: false, guess-formats: true", gateway -> {
            var properties = properties(gateway);
            assertThat(properties.getDocument("mail")).isEqualTo(json("{type: 'string', format: 'email'}"));
            assertThat(properties.getDocument("at")).isEqualTo(json("{type: 'string', format: 'date-time'}"));
            assertThat(properties.getDocument("day")).isEqualTo(json("{type: 'string'}"));
            assertThat(properties.getDocument("title")).isEqualTo(json("{type: 'string'}"));
        });
    }

    @Test
    void a_new_sample_is_taken_when_the_old_one_has_expired_or_root_wants_one() {
        with("sample-ttl: 1000", gateway -> {
            assertThat(properties(gateway)).doesNotContainKeys("fresh", "later");
            gateway.insert("books", "{_id: 'c', fresh: 1}");
            gateway.permit("{_id: 'r', roles: ['editor'], predicate: \"path-prefix('/books')\"}");
            assertThat(document(gateway, "ada", "/_openapi/books?sample=fresh").toString())
                    .doesNotContain("fresh");
            assertThat(document(gateway, "admin", "/_openapi/books?sample=fresh")
                            .toString())
                    .contains("fresh");
            gateway.insert("books", "{_id: 'd', later: 1}");
            await().untilAsserted(() -> assertThat(properties(gateway)).containsKey("later"));
        });
    }

    @Test
    void nobody_waits_for_samples_longer_than_configured() {
        with("wait: 0, parallel-samples: 1", gateway -> {
            gateway.database()
                    .createView(
                            "slow",
                            "books",
                            List.of(Document.parse("{$match: {$expr: {$function: {lang: 'js', args: [],"
                                    + " body: 'function() { sleep(200); return true }'}}}}")));
            var first = gateway.as("admin").get("/_openapi/slow");
            assertThat(OpenApiFixture.valid(first).getDocument("info")).containsKey("x-pending");
            assertThat(first.headers().firstValue("Cache-Control")).contains("private, no-store");
            await().untilAsserted(() -> assertThat(
                            OpenApiFixture.schema(document(gateway, "admin", "/_openapi/slow"), "Slow")
                                    .getDocument("properties"))
                    .containsKey("title"));
        });
    }

    /// Each sample of these takes two seconds.
    @Test
    void samples_for_one_caller_leave_places_to_others() {
        with("wait: 5000, parallel-samples: 2", gateway -> {
            for (int i = 0; i < 12; i++) {
                gateway.database()
                        .createView(
                                "slow" + i,
                                "books",
                                List.of(Document.parse("{$match: {$expr: {$function: {lang: 'js', args: [],"
                                        + " body: 'function() { sleep(500); return true }'}}}}")));
            }
            gateway.insert("fast", "{_id: 1, known: 1}");
            gateway.permit("{_id: 's', roles: ['editor'], predicate: \"path-prefix('/')\"}");
            gateway.permit("{_id: 'f', roles: ['viewer'], predicate: \"path-prefix('/fast')\"}");
            var ada = gateway.as("ada");
            for (int i = 0; i < 12; i++) {
                var target = "/_openapi/slow" + i;
                Thread.ofVirtual().start(() -> ada.get(target));
            }
            var sampling = "{type: 'op', ns: {$regex: '^" + gateway.database().getName() + "[.](slow|books)'}}";
            await().until(() -> !TestMongo.operations(mongo.client(), sampling).isEmpty());
            assertThat(OpenApiFixture.schema(document(gateway, "bob", "/_openapi/fast"), "Fast")
                            .getDocument("properties"))
                    .containsKey("known");
        });
    }

    @Test
    void services_are_described_unless_they_are_not_wanted() {
        with("include-services: true", gateway -> assertThat(paths(gateway)).containsKeys("/ping", "/books"));
        with(
                "include-services: false",
                gateway ->
                        assertThat(paths(gateway)).containsKey("/books").doesNotContainKeys("/ping", "/roles/{user}"));
    }

    @Test
    void services_that_translate_into_the_data_api_are_described() {
        try (var gateway = TestGateway.start(mongo, """
            dataApi: {enabled: true, uri: /atlas}
            mcp: {enabled: true}
            jwtConfigProvider: {key: Xq7-Lm2.Rt9_Vw4+Bz6=Kp3*Hc8^Nd5!}
            jwtAuthenticationMechanism: {enabled: true}
            jwtTokenManager: {enabled: true}
            authTokenService: {enabled: true, uri: /token}
            """)) {
            gateway.permit("{_id: 'r', roles: ['$unauthenticated'], predicate: \"path('/books') and method(GET)\"}");
            gateway.insert("books", "{_id: 'a'}");
            var paths = paths(gateway);
            var action = "/atlas/{appId}/endpoint/data/v1/action/";
            assertThat(paths.keySet().stream().filter(path -> path.startsWith(action)))
                    .hasSize(10)
                    .contains(action + "findOne", action + "aggregate");
            var insert = paths.getDocument(action + "insertOne").getDocument("post");
            assertThat(insert.getDocument("requestBody").toJson()).contains("dataSource", "document");
            assertThat(insert.getDocument("responses").toJson()).contains("insertedId", "error_code");
            assertThat(paths.getDocument("/_transactions").getDocument("post").toJson())
                    .contains("\"maxItems\": 100", "tx=rollback");
            assertThat(paths.getDocument("/_mcp").getDocument("post").toJson()).contains("jsonrpc", "event-stream");
            assertThat(paths.getDocument("/token")).containsKeys("post", "delete");
            assertThat(paths.getDocument("/token").getDocument("post").toJson())
                    .contains("username", "expires_at", "renewal", "\"renew\"");
            var everybody =
                    OpenApiFixture.valid(gateway.anonymous().get("/_openapi")).getDocument("paths");
            assertThat(everybody).containsKeys("/books", "/_mcp").doesNotContainKey(action + "find");
        }
        with("x-fields: true", gateway -> assertThat(paths(gateway)).doesNotContainKey("/_mcp"));
    }

    private static BsonDocument paths(TestGateway gateway) {
        return document(gateway, "admin", "/_openapi").getDocument("paths");
    }

    @Test
    void everything_is_for_the_root_role_only() {
        with("mode: everything", gateway -> {
            gateway.permit("{_id: 'r', roles: ['editor'], predicate: \"path('/books') and method(GET)\"}");
            assertThat(document(gateway, "ada", "/_openapi").getDocument("paths"))
                    .containsKey("/books")
                    .doesNotContainKeys("/users", "/books/{id}");
            assertThat(paths(gateway)).containsKeys("/users", "/books/{id}");
            assertStatus(401, gateway.anonymous().get("/_openapi"));
        });
    }

    @Test
    void collections_whose_paths_belong_to_services_are_not_described() {
        with("mode: everything", gateway -> {
            gateway.insert("ping", "{_id: 1, hidden: 1}");
            var document = document(gateway, "admin", "/_openapi");
            assertThat(document.getDocument("paths"))
                    .containsKeys("/books", "/books/{id}", "/ping")
                    .doesNotContainKeys("/ping/{id}", "/ping/_indexes");
            assertThat(document.getDocument("paths").getDocument("/ping")).doesNotContainKeys("post", "put");
            assertThat(document.getDocument("components").getDocument("schemas"))
                    .doesNotContainKey("Ping");
            assertStatus(404, gateway.as("admin").get("/_openapi/ping"));
        });
    }

    @Test
    void anonymous_callers_without_permissions_get_an_empty_document_if_configured() {
        with("secured: false, include-services: false", gateway -> {
            var document = OpenApiFixture.valid(gateway.anonymous().get("/_openapi"));
            assertThat(document.getDocument("paths")).isEmpty();
            assertStatus(404, gateway.as("ada").get("/_openapi/books"));
        });
    }

    @Test
    void documents_are_kept_and_counted() {
        with("uri: /api-description", gateway -> {
            for (int i = 0; i < 3; i++) {
                document(gateway, "admin", "/api-description/books");
            }
            assertThat(metrics(gateway))
                    .containsPattern("openapi_documents_total\\{.*cached=\"true\".*} 2\\.0")
                    .containsPattern("openapi_documents_total\\{.*cached=\"false\".*} 1\\.0")
                    .containsPattern("openapi_samples_total\\{.*outcome=\"complete\".*} 1\\.0")
                    .containsPattern("openapi_sample_seconds_count(\\{.*})? 1")
                    .containsPattern("openapi_seconds_count(\\{.*})? 3")
                    .containsPattern("openapi_cache_bytes(\\{.*})? [1-9]");
            assertStatus(404, gateway.as("admin").get("/_openapi"));
        });
        with("cache-bytes: 0", gateway -> {
            for (int i = 0; i < 3; i++) {
                document(gateway, "admin", "/_openapi/books");
            }
            assertThat(metrics(gateway))
                    .containsPattern("openapi_documents_total\\{.*cached=\"false\".*} 3\\.0")
                    .containsPattern("openapi_cache_bytes(\\{.*})? 0");
        });
    }

    private static String metrics(TestGateway gateway) {
        return gateway.as("admin").get("/metrics/openapi").body();
    }

    @Test
    void a_collection_sets_its_tag_its_summary_and_a_schema_to_show() {
        with("sample-size: 10", gateway -> {
            var admin = gateway.as("admin");
            var answer = admin.patch("/books", """
                {"openapi": {"tag": "Library", "summary": "What <we> have", "schema": {"type": "object",
                  "required": ["title"], "properties": {"title": {"type": "string", "maxLength": 9}}}}}\
                """);
            assertStatus(200, answer);
            var document = document(gateway, "admin", "/_openapi/books");
            assertThat(document.getArray("tags"))
                    .containsExactly(json("{name: 'Library', description: 'What &lt;we&gt; have'}"));
            assertThat(OpenApiFixture.at(document, "paths", "/books", "get").getArray("tags"))
                    .containsExactly(new BsonString("Library"));
            assertThat(OpenApiFixture.schema(document, "Books").getDocument("properties"))
                    .containsEntry("title", json("{type: 'string', maxLength: 9}"))
                    .containsKey("mail");
            var created = OpenApiFixture.schema(document, "BooksNew");
            assertThat(created).doesNotContainKey("required"); // it is shown and not enforced
            assertThat(created.getDocument("properties")).containsOnlyKeys("title");
            assertStatus(201, admin.post("/books", "{\"_id\": \"c\", \"title\": \"longer than nine\"}"));
        });
    }

    @Test
    void the_page_is_where_it_is_configured_or_nowhere() {
        with("ui-uri: /docs", gateway -> {
            var page = gateway.anonymous().get("/docs/");
            assertStatus(200, page);
            assertThat(page.body()).contains("data-own=\"/docs\"", "data-described=\"/_openapi\"");
        });
        with(
                "ui-uri: null",
                gateway -> assertThat(gateway.as("admin").get("/_openapi-ui").statusCode())
                        .isEqualTo(404));
    }

    @Test
    void the_page_and_its_files_are_public_and_under_a_policy() {
        with("enabled: true", gateway -> {
            var page = gateway.anonymous().get("/_openapi-ui/");
            assertStatus(200, page);
            assertThat(page.body()).doesNotContain("http", "style=", "<script>");
            for (int i = 0; i < 2; i++) { // read when it is first asked for, and then from memory
                assertThat(gateway.anonymous().get("/_openapi-ui/").headers().firstValue("Content-Security-Policy"))
                        .contains("default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
                                + "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
                                + "form-action 'none'");
            }
            var names = Pattern.compile("(?:src|href)=\"([^\"]+)\"").matcher(page.body());
            int files = 0;
            while (names.find()) {
                files++;
                var file = gateway.anonymous().get("/_openapi-ui/" + names.group(1));
                assertThat(file.statusCode()).as(names.group(1)).isEqualTo(200);
                assertThat(file.headers().firstValue("Cache-Control").orElse(""))
                        .endsWith("immutable");
            }
            assertThat(files).isEqualTo(4);
            assertThat(gateway.anonymous().get("/_openapi-ui").headers().firstValue("Location"))
                    .contains("_openapi-ui/");
            assertStatus(404, gateway.anonymous().get("/_openapi-ui/none.js"));
            assertStatus(405, gateway.anonymous().post("/_openapi-ui/", "{}"));
        });
    }

    private static BsonDocument json(String text) {
        return BsonDocument.parse(text);
    }
}
