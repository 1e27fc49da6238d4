package org.restheart.core.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.testkit.TestMongo;

/// Late and failed answers: nothing of an earlier view is shown or acted on in a later one.
class ConsoleStaleViewsTest extends BrowserTest {
    ConsoleStaleViewsTest(TestMongo mongo) {
        super(mongo);
    }

    @BeforeEach
    void create() throws Exception {
        world.send("root", "PUT", "/", "{}");
        for (int n = 1; n <= 2; n++) {
            var name = "films" + n;
            world.collection(name).drop();
            world.send("root", "PUT", "/" + name, """
                {"descr": "D-films$n", "streams": [{"uri": "S-films$n", "stages": []}],
                 "aggrs": [{"uri": "P-films$n", "stages": []}]}\
                """.replace("$n", "" + n));
            world.send("root", "PUT", "/" + name + "/_indexes/I-" + name, "{\"keys\": {\"F-" + name + "\": 1}}");
            world.insert(
                    name,
                    "{_id: 1, t: 'A-" + name + "', 'F-" + name + "': 1}",
                    "{_id: 2, t: 'B-" + name + "'}",
                    "{_id: 'same', t: 'C-" + name + "', _etag: {$oid: '6b02c888c7449297a9373f3" + n + "'}}");
        }
    }

    private static void go(Page page, String place) {
        page.evaluate("place => { location.hash = place; }", place);
    }

    private static Locator rows(Page page) {
        return page.locator("table.grid tbody tr");
    }

    private static void tick(Page page, int row) {
        rows(page).nth(row).locator("input").check();
    }

    @Test
    void rows_and_selection_are_gone_at_once_with_their_collection() {
        try (var page = world.open("root", "#/c/films1")) {
            assertThat(rows(page)).hasCount(3);
            tick(page, 1);
            assertThat(button(page, "Delete…")).isVisible();
            var held = hold(page, url -> url.contains("/films2?"));
            go(page, "#/c/films2");
            waitFor(page, held);
            assertThat(page.locator("h1")).hasText("films2");
            assertThat(rows(page)).hasCount(0);
            assertThat(button(page, "Delete…")).hasCount(0);
            release(page, held);
            assertThat(rows(page)).hasCount(3);
            assertThat(rows(page).nth(1)).containsText("B-films2");
            assertThat(page.locator("tr.chosen")).hasCount(0);
        }
    }

    @Test
    void an_empty_database_begins_with_first_steps() {
        try (var page = world.page("")) {
            page.route(
                    url -> url.endsWith("/_access"), route -> route.fulfill(new Route.FulfillOptions().setBody("""
                        {"resources": [{"path": "/", "segments": [], "kind": "database", "operations": {"read": "yes", "manage": "yes"}}]}\
                        """)));
            world.signIn(page, "root", "secret");
            assertThat(page.locator("main h2")).hasText("First steps");
            page.unrouteAll();
            button(page, "Create sample data").click();
            assertThat(page.locator("main h1")).hasText("books");
            assertThat(rows(page)).hasCount(6);
        }
    }

    @Test
    void a_failed_load_leaves_nothing_to_select() {
        try (var page = world.open("root", "#/c/films1")) {
            assertThat(rows(page)).hasCount(3);
            page.route(
                    url -> url.contains("/films2?"),
                    route -> route.fulfill(
                            new Route.FulfillOptions().setStatus(500).setBody("{\"message\": \"broken\"}")));
            go(page, "#/c/films2");
            assertThat(page.locator(".failure").first()).containsText("broken");
            assertThat(rows(page)).hasCount(0);
            page.unrouteAll();
            button(page, "Try again").click();
            assertThat(rows(page).nth(1)).containsText("B-films2");
            page.route(
                    url -> url.contains("/films2?"), route -> route.fulfill(new Route.FulfillOptions().setStatus(500)));
            go(page, "#/c/films2?filter={t:1}");
            assertThat(page.locator(".failure").first()).isVisible();
            assertThat(rows(page)).hasCount(0);
        }
    }

    @Test
    void a_late_answer_of_an_earlier_view_is_dropped() {
        try (var page = world.open("root", "#/c/films2")) {
            assertThat(rows(page)).hasCount(3);
            var held = hold(page, url -> url.contains("/films1?"));
            go(page, "#/c/films1");
            waitFor(page, held);
            go(page, "#/c/films2?filter={_id:2}");
            assertThat(rows(page)).hasCount(1);
            release(page, held);
            page.waitForTimeout(300);
            assertThat(rows(page)).hasCount(1);
            assertThat(rows(page).first()).containsText("B-films2");
        }
    }

    @Test
    void a_deletion_names_collection_and_count_and_spares_what_others_have_changed() {
        try (var page = world.open("root", "#/c/films1")) {
            assertThat(rows(page)).hasCount(3);
            tick(page, 1);
            button(page, "Delete…").click();
            assertThat(page.locator("dialog h2")).hasText("Delete 1 document of films1?");
            go(page, "#/c/films2"); // with the page goes the question about its documents
            assertThat(rows(page).first()).containsText("C-films2");
            assertThat(page.locator("dialog")).hasCount(0);
            go(page, "#/c/films1");
            assertThat(rows(page).first()).containsText("C-films1");
            tick(page, 1);
            button(page, "Delete…").click();
            button(page, "Delete 1").click();
            assertThat(page.locator(".toast")).hasText("1 document of films1 deleted");
            assertThat(rows(page)).hasCount(2);
            go(page, "#/c/films1?filter={_id:\"same\"}");
            assertThat(rows(page)).hasCount(1);
            tick(page, 0);
            button(page, "Delete…").click();
            world.collection("films1")
                    .updateOne(
                            new BsonDocument("_id", new BsonString("same")),
                            BsonDocument.parse("{$set: {_etag: {$oid: '6b02c888c7449297a9373f39'}}}"));
            button(page, "Delete 1").click();
            assertThat(page.locator(".toast").last()).containsText("1 document not deleted");
        }
        assertThat(world.stored("films1", "same")).containsEntry("t", new BsonString("C-films1"));
        assertThat(world.collection("films2").countDocuments()).isEqualTo(3);
        assertThat(world.collection("films1").countDocuments(new BsonDocument("_id", new BsonInt32(2))))
                .isZero();
    }

    @Test
    void a_document_of_the_same_id_in_another_collection_is_another_document() {
        try (var page = world.open("root", "#/c/films1?doc=\"same\"")) {
            assertThat(page.locator(".document .cm-content")).containsText("C-films1");
            var held = hold(page, url -> url.contains("/films2/same"));
            go(page, "#/c/films2?doc=\"same\"");
            waitFor(page, held);
            assertThat(page.locator(".document")).hasCount(0);
            release(page, held);
            assertThat(page.locator(".document .cm-content")).containsText("C-films2");
        }
    }

    @Test
    void a_late_saving_does_not_lead_away_from_where_one_has_gone() {
        try (var page = world.open("root", "#/c/films1?doc=new")) {
            ConsoleWorld.write(page, "Document", "{_id: \"fresh\"}");
            var held = hold(page, url -> url.endsWith("/films1"));
            button(page, "Create").click();
            waitFor(page, held);
            page.onDialog(question -> question.accept());
            go(page, "#/c/films2");
            assertThat(rows(page)).hasCount(3);
            release(page, held);
            assertThat(page.locator(".toast")).containsText("Created");
            assertThat(page.locator("h1")).hasText("films2");
            assertThat(rows(page)).hasCount(3);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "aggregations, P-films, _meta",
        "live, S-films, _meta",
        "indexes, I-films, _indexes",
        "properties, D-films, _meta",
        "schema, F-films, _openapi"
    })
    void every_tab_begins_with_nothing_of_another_collection(String tab, String mark, String asked) {
        try (var page = world.open("root", "#/c/films1?tab=" + tab)) {
            var main = page.locator("main");
            assertThat(main).containsText(mark + "1");
            var held = hold(page, url -> url.contains(asked) && url.contains("films2"));
            go(page, "#/c/films2?tab=" + tab);
            waitFor(page, held);
            assertThat(page.locator("h1")).hasText("films2");
            assertThat(main).not().containsText(mark + "1");
            release(page, held);
            assertThat(main).containsText(mark + "2");
        }
    }

    @ParameterizedTest
    @CsvSource({"properties", "aggregations", "live"})
    void properties_that_cannot_be_read_are_not_taken_for_none(String tab) {
        try (var page = world.open("root", "#/")) {
            page.route(
                    url -> url.contains("/films1/_meta"),
                    route -> route.fulfill(new Route.FulfillOptions().setStatus(500)));
            go(page, "#/c/films1?tab=" + tab);
            assertThat(page.locator(".failure").first()).isVisible();
            assertThat(button(page, "Create a stream of all changes")).hasCount(0);
            assertThat(page.locator(".cm-content[aria-label='Properties']")).hasCount(0);
        }
    }

    @Test
    void addresses_that_name_nothing_say_so_and_that_of_a_document_shows_it() {
        try (var page = world.open("root", "#/nonsense")) {
            assertThat(page.locator("main")).containsText("There is no page “nonsense”");
            go(page, "#/c/nosuch");
            assertThat(page.locator("main")).containsText("There is no collection nosuch");
            assertThat(page.locator(".tabs")).hasCount(0);
            assertThat(button(page, "New document")).hasCount(0);
            go(page, "#/c/films1/same");
            assertThat(page.locator(".document .cm-content")).containsText("C-films1");
            assertThat(page.locator("h1")).hasText("films1");
        }
    }
}
