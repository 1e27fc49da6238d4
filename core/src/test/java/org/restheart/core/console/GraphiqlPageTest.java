package org.restheart.core.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestMongo;

/// GraphiQL in a real browser, which asks nobody but the gateway.
class GraphiqlPageTest extends BrowserTest {
    private static final String PATH = "/_graphiql/?app=library/v1";

    GraphiqlPageTest(TestMongo mongo) {
        super(mongo);
    }

    @BeforeAll
    void create() throws Exception {
        world.send("root", "PUT", "/", "{}");
        world.send("root", "PUT", "/books", "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}");
        world.send("root", "POST", "/books", "[{\"_id\": \"b1\", \"title\": \"One\"}]");
        world.send("root", "PUT", "/gql-apps", "{}");
        var db = world.collection("books").getNamespace().getDatabaseName();
        world.send("root", "PUT", "/gql-apps/library?wm=upsert", """
            {"descriptor": {"uri": "library/v1"},
             "schema": "type Book { _id: String title: String } type Query { books(max: Int): [Book] } type Subscription { changed: Book }",
             "mappings": {
               "Query": {"books": {"db": "$db", "collection": "books", "limit": {"$arg": ["max", 10]}}},
               "Subscription": {"changed": {"db": "$db", "collection": "books", "stream": "all", "path": "fullDocument"}}}}
            """.replace("$db", db));
    }

    private Page open(String account, int width, ColorScheme scheme) {
        return open(account, PATH, width, scheme);
    }

    private Page open(String account, String path, int width, ColorScheme scheme) {
        var page = world.pageAt(path, width, scheme);
        var credentials = Base64.getEncoder().encodeToString((account + ":secret").getBytes(StandardCharsets.UTF_8));
        page.setExtraHTTPHeaders(Map.of("Authorization", "Basic " + credentials)); // as after the browser's question
        page.reload();
        return page;
    }

    private static void run(Page page, String operation) {
        page.locator(".graphiql-query-editor .CodeMirror").click();
        page.keyboard().press("Control+a");
        page.keyboard().insertText(operation);
        page.locator("button.graphiql-execute-button").click();
    }

    @ParameterizedTest
    @CsvSource({"1280, LIGHT", "1280, DARK", "390, LIGHT"})
    void a_query_is_written_with_the_schema_at_hand_and_run(int width, ColorScheme scheme) {
        try (var page = open("root", width, scheme)) {
            page.locator("button[aria-label='Show Documentation Explorer']").click();
            assertThat(page.locator(".graphiql-doc-explorer")).containsText("Query");
            page.locator("button[aria-label='Hide Documentation Explorer']").click();
            run(page, "{ books { title } }");
            assertThat(page.locator(".result-window")).containsText("\"title\": \"One\"");
            assertThat(page.locator(".result-window").boundingBox().width).isGreaterThan(250);
            run(page, "{ nope }");
            assertThat(page.locator(".result-window")).containsText("ValidationError");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1280, 375})
    void the_page_names_the_app_and_begins_with_an_operation_of_it(int width) {
        try (var page = open("root", width, ColorScheme.LIGHT)) {
            page.navigate(world.address() + "/_graphiql/?app=library"); // nothing is stored for this name
            assertThat(page.locator("h1")).hasText("library");
            assertThat(page.locator("#home")).hasAttribute("href", "/");
            assertThat(page.locator(".graphiql-query-editor")).containsText("title");
            assertThat(page.locator(".graphiql-query-editor").boundingBox().height)
                    .isGreaterThan(200);
            page.locator("button.graphiql-execute-button").click();
            assertThat(page.locator(".result-window")).containsText("\"title\": \"One\"");
            page.locator("#other").click();
            assertThat(page.locator("#choice input")).isVisible();
        }
    }

    @Test
    void a_subscription_tells_of_changes_until_it_is_stopped() {
        try (var page = open("root", 1280, ColorScheme.LIGHT)) {
            run(page, "subscription { changed { _id title } }");
            var results = page.locator(".result-window");
            var changes = new AtomicInteger(); // until the page has subscribed
            await().until(() -> {
                var title = "T" + changes.incrementAndGet();
                world.send("root", "PUT", "/books/b2?wm=upsert", "{\"title\": \"" + title + "\"}");
                return results.textContent().contains("\"title\": \"T");
            });
            page.locator("button[aria-label^='Stop']").click();
            assertThat(page.locator("button[aria-label^='Execute']")).isVisible();
        }
    }

    @Test
    void it_says_why_it_is_refused() {
        try (var page = open("reader", 1280, ColorScheme.LIGHT)) {
            for (var operation : List.of("{ books { title } }", "subscription { changed { title } }")) {
                run(page, operation);
                assertThat(page.locator(".result-window")).containsText("no permission of reader");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"../books", "library/../../books", ".", "%2e%2e/books", "x/.%2e", "library/v1/..%5c..%5cbooks"})
    void an_app_is_never_a_path_beside_the_apps(String app) {
        try (var page = open("root", "/_graphiql/?app=" + app, 1280, ColorScheme.LIGHT)) {
            var sent = new ConcurrentLinkedQueue<String>();
            page.onRequest(request -> {
                if (request.method().equals("POST")) {
                    sent.add(request.url());
                }
            });
            page.reload();
            if (app.contains("5c")) { // no segment of its own
                assertThat(page.locator(".result-window")).isVisible();
                assertThat(sent).allMatch(url -> url.contains("/graphql/library/v1/..%5C..%5Cbooks"));
            } else {
                assertThat(page.locator("#failure")).containsText("No path can name this");
                assertThat(page.locator("#choice input")).isVisible();
                assertThat(sent).isEmpty();
            }
        }
    }
}
