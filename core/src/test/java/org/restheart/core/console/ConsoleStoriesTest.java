package org.restheart.core.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import java.nio.file.Files;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;

/// Common uses of the console in a real browser.
class ConsoleStoriesTest extends BrowserTest {
    private static final String ALL_TYPES = """
        {_id: 'types', text: 'a"b\\\\c', double: 1.0, zero: -0.0, nan: {$numberDouble: 'NaN'}, int: 5,
         long: {$numberLong: '7'}, big: {$numberLong: '9223372036854775807'}, dec: {$numberDecimal: '1.10'},
         oid: {$oid: '6b02c888c7449297a9373f31'}, date: {$date: '2020-01-01T00:00:00.123Z'},
         old: {$date: {$numberLong: '-62135596800001'}}, bin: {$binary: {base64: 'AQID', subType: '80'}},
         uuid: {$uuid: 'c8edabc3-f738-4ca3-b68d-ab92a91478a3'},
         re: {$regularExpression: {pattern: '^a/b', options: 'i'}}, ts: {$timestamp: {t: 1, i: 2}},
         min: {$minKey: 1}, max: {$maxKey: 1}, nothing: null, undef: {$undefined: true},
         code: {$code: 'f()'}, scoped: {$code: 'x', $scope: {a: 1}}, sym: {$symbol: 's'},
         ref: {$ref: 'c', $id: 1}, list: [1, [2.5, {x: []}], {}], yes: true, '10': 1, '2': 2}\
        """;

    ConsoleStoriesTest(TestMongo mongo) {
        super(mongo);
    }

    @BeforeAll
    void create() throws Exception {
        world.send("root", "PUT", "/", "{}");
        world.send("root", "PUT", "/books", "{}");
        world.send("root", "PUT", "/drafts", "{}");
        world.send("root", "PUT", "/secrets", "{}");
        var books = new StringBuilder("[");
        for (int i = 0; i < 12; i++) {
            books.append(i == 0 ? "" : ",")
                    .append("{\"_id\": \"b")
                    .append(i)
                    .append("\", \"title\": \"Book ")
                    .append(i)
                    .append("\", \"year\": ")
                    .append(1990 + i)
                    .append(", \"place\": {\"city\": \"Turin\"}}");
        }
        world.send("root", "POST", "/books", books.append("]").toString());
    }

    @Test
    void after_signing_in_a_reader_sees_only_what_she_may_read() {
        try (var page = world.page("")) {
            world.signIn(page, "ada", "wrong");
            assertThat(page.getByRole(AriaRole.ALERT)).containsText("Account and password do not match");
            world.signIn(page, "nobody", "wrong");
            assertThat(page.getByRole(AriaRole.ALERT)).containsText("Account and password do not match");
            world.signIn(page, "ada", "secret");
            assertThat(page.locator(".tree .node", new Page.LocatorOptions().setHasText("books")))
                    .isVisible();
            assertThat(page.locator(".tree .node", new Page.LocatorOptions().setHasText("secrets")))
                    .hasCount(0);
        }
    }

    @Test
    void a_filter_is_completed_run_and_shown_as_a_curl_command() throws Exception {
        try (var page = world.open("ada", "#/c/books")) {
            page.context().grantPermissions(List.of("clipboard-read", "clipboard-write"));
            assertThat(page.locator("table.grid tbody tr")).hasCount(12);
            page.locator(".cm-content[aria-label='Filter']").click();
            page.keyboard().type("ye");
            page.locator(".cm-tooltip-autocomplete li").first().waitFor();
            assertThat(page.locator(".cm-tooltip-autocomplete li[aria-selected=true]"))
                    .containsText("year");
            page.waitForTimeout(200); // CodeMirror ignores keys for a moment after the list has appeared
            page.keyboard().press("Enter");
            page.keyboard().type("$g");
            assertThat(page.locator(".cm-tooltip-autocomplete")).containsText("$gt");
            ConsoleWorld.write(page, "Filter", "{year: {$gt: 1999}}");
            page.keyboard().press("Control+Enter");
            assertThat(page.locator("table.grid tbody tr")).hasCount(2);
            page.getByLabel("Copy this query as a curl line").click();
            var line = (String) page.evaluate("() => navigator.clipboard.readText()");
            assertThat(line).startsWith("curl -sS -g -u \"$RH_USER\" ").doesNotContain("secret", "Bearer");
            assertThat(ConsoleWorld.shell(line, "RH_USER", "ada:secret"))
                    .contains("\"b10\"", "\"b11\"")
                    .doesNotContain("\"b9\"");
        }
    }

    @Test
    void related_documents_and_a_collation_are_asked_for_beside_the_sort() throws Exception {
        world.send("root", "PUT", "/shelves", """
            {"rels": [{"rel": "first", "type": "ONE_TO_ONE", "role": "OWNING", "target-coll": "books", "ref-field": "book"}]}\
            """);
        world.send("root", "POST", "/shelves", """
            [{"_id": "s1", "name": "high", "book": "b1"}, {"_id": "s2", "name": "HIGH", "book": "b2"}, {"_id": "s3", "name": "low"}]\
            """);
        try (var page = world.open("root", "#/c/shelves?view=text")) {
            assertThat(page.locator(".text-view")).containsText("s3");
            page.getByText("Sort, fields, more").click();
            ConsoleWorld.write(page, "Filter", "{name: 'high'}");
            ConsoleWorld.write(page, "Related documents", "first");
            ConsoleWorld.write(page, "Collation", "{locale: 'en', strength: 2}");
            page.keyboard().press("Control+Enter");
            assertThat(page.locator(".text-view")).containsText("Book 1");
            assertThat(page.locator(".text-view")).containsText("Book 2");
            assertThat(page.locator(".text-view")).not().containsText("s3");
            button(page, "All results").click();
            page.getByRole(AriaRole.MENUITEM, new Page.GetByRoleOptions().setName("Update all…"))
                    .click();
            assertThat(page.locator("dialog")).containsText("Update 2 documents");
        }
    }

    @Test
    void a_link_shows_the_same_view_after_signing_in() {
        try (var page = world.open("ada", "#/c/books?sort={\"place.city\":1,\"year\":1}&hide=title,place")) {
            assertThat(page.locator("table.grid tbody tr").first()).containsText("1990");
            assertThat(page.locator("table.grid th")).hasCount(3);
        }
    }

    @Test
    void a_change_keeps_the_types_of_other_fields() {
        world.insert("drafts", ALL_TYPES);
        var before = world.stored("drafts", "types");
        try (var page = world.open("ada", "#/c/drafts?doc=\"types\"")) {
            var editor = page.locator(".document .cm-content");
            assertThat(editor).containsText("NumberLong(7)");
            var text = (String)
                    page.evaluate("() => document.querySelector('.document .editor').editor.state.doc.toString()");
            ConsoleWorld.write(page, "Document", text.replace("a\\\"b\\\\c", "changed"));
            page.keyboard().press("Control+s");
            assertThat(page.locator(".toast")).containsText("Saved");
            assertThat(page.locator(".document .cm-content")).containsText("changed");
        }
        var after = world.stored("drafts", "types");
        assertThat(after.remove("_etag")).isNotNull();
        assertThat(after.put("text", before.get("text"))).isEqualTo(new BsonString("changed"));
        assertThat(after.toJson()).isEqualTo(before.toJson());
        assertThat(after.keySet()).containsExactlyElementsOf(before.keySet());
    }

    @Test
    void concurrent_changes_of_different_fields_are_both_kept() throws Exception {
        world.send("root", "POST", "/drafts", "{\"_id\": \"both\", \"title\": \"old\", \"year\": 1}");
        try (var page = world.open("ada", "#/c/drafts?doc=\"both\"")) {
            assertThat(page.locator(".document .cm-content")).containsText("old");
            world.send("bob", "PATCH", "/drafts/both", "{\"year\": 2000}");
            ConsoleWorld.write(page, "Document", "{_id: \"both\", title: \"new\", year: 1}");
            button(page, "Save").click();
            assertThat(page.locator("dialog .conflict tbody tr")).hasCount(2);
            button(page, "Save this").click();
            assertThat(page.locator(".toast")).containsText("Saved");
        }
        var stored = world.stored("drafts", "both");
        assertThat(stored).containsEntry("title", new BsonString("new")).containsEntry("year", new BsonInt32(2000));
    }

    @Test
    void a_document_that_has_changed_is_not_deleted_without_asking() throws Exception {
        world.send("root", "POST", "/drafts", "{\"_id\": \"going\", \"n\": 1}");
        try (var page = world.open("ada", "#/c/drafts?doc=\"going\"")) {
            assertThat(page.locator(".document .cm-content")).containsText("going");
            world.send("bob", "PATCH", "/drafts/going", "{\"n\": 2}");
            button(page, "More").click();
            page.getByRole(AriaRole.MENUITEM, new Page.GetByRoleOptions().setName("Delete…"))
                    .click();
            button(page, "Delete").click();
            assertThat(page.locator("dialog [role=alert]")).containsText("has changed since you opened it");
            assertThat(world.stored("drafts", "going")).containsKey("n");
            button(page, "Delete").click();
            assertThat(page.locator(".toast")).containsText("Deleted");
        }
        assertThat(world.collection("drafts").countDocuments(BsonDocument.parse("{_id: 'going'}")))
                .isZero();
    }

    @Test
    void invalid_json_is_marked_and_not_sent() {
        try (var page = world.open("ada", "#/c/drafts?doc=new")) {
            ConsoleWorld.write(page, "Document", "{\"title\": }");
            assertThat(page.locator(".error")).containsText("a value is expected here");
            assertThat(button(page, "Create")).isDisabled();
            page.keyboard().press("Control+s");
            ConsoleWorld.write(page, "Document", "{_id: \"made\", title: \"x\"}");
            button(page, "Create").click();
            assertThat(page.locator(".toast")).containsText("Created");
        }
        assertThat(world.stored("drafts", "made")).containsEntry("title", new BsonString("x"));
    }

    @Test
    void a_pipeline_is_built_previewed_stored_and_called() throws Exception {
        try (var page = world.open("root", "#/c/books?tab=aggregations")) {
            page.context().grantPermissions(List.of("clipboard-read", "clipboard-write"));
            ConsoleWorld.write(page, "Stage 1, $match", "{year: {$gt: {$var: \"since\"}}}");
            button(page, "Add stage").click();
            page.getByLabel("Operator of stage 2").selectOption("$group");
            ConsoleWorld.write(page, "Stage 2, $group", "{_id: \"$place.city\", n: {$sum: 1}}");
            ConsoleWorld.write(page, "Value of since", "1999");
            button(page, "Result after stage 1").click();
            assertThat(page.locator("table.grid tbody tr")).hasCount(2);
            button(page, "Run").click();
            assertThat(page.locator("table.grid tbody tr")).hasCount(1);
            button(page, "Save…").click();
            page.locator("dialog input").fill("recent");
            button(page, "Save").click();
            assertThat(page.locator(".names")).containsText("recent");
            page.getByLabel("Copy recent as a curl line").click();
            var line = (String) page.evaluate("() => navigator.clipboard.readText()");
            assertThat(ConsoleWorld.shell(line, "RH_USER", "root:secret"))
                    .contains("Turin")
                    .containsPattern("\"n\": ?2\\b");
        }
    }

    @Test
    void each_request_can_be_repeated_by_its_curl_command() throws Exception {
        try (var page = world.open("ada", "#/c/books?filter={title:'Book 1'}")) {
            page.context().grantPermissions(List.of("clipboard-read", "clipboard-write"));
            assertThat(page.locator("table.grid tbody tr")).hasCount(1);
            page.evaluate("() => { location.hash = '#/c/secrets'; }");
            assertThat(page.locator("main .failure")).containsText("403");
            page.locator(".drawer-toggle").click();
            var rows = page.locator(".drawer-list tbody tr");
            int count = rows.count();
            assertThat(count).isGreaterThanOrEqualTo(2);
            for (int i = 0; i < count; i++) {
                var row = rows.nth(i);
                row.getByLabel("Copy as a curl line").click();
                var line = (String) page.evaluate("() => navigator.clipboard.readText()");
                assertThat(ConsoleWorld.shell(
                                line.replace("-sS", "-sS -o /dev/null -w '%{http_code}'"), "RH_USER", "ada:secret"))
                        .as(line)
                        .isEqualTo(row.locator(".status").innerText());
            }
        }
    }

    @Test
    void a_refused_unique_index_names_the_duplicate_key() {
        try (var page = world.open("root", "#/c/books?tab=indexes")) {
            button(page, "New index").click();
            page.getByLabel("Field 1").fill("place.city");
            page.getByLabel("Unique").check();
            button(page, "Create").click();
            assertThat(page.locator("dialog [role=alert]")).containsText("Turin");
        }
    }

    @Test
    void an_index_is_dropped_by_its_name() throws Exception {
        world.send("root", "PUT", "/books/_indexes/by-title", "{\"keys\": {\"title\": 1}}");
        try (var page = world.open("root", "#/c/books?tab=indexes")) {
            page.getByLabel("Drop by-title").click();
            assertThat(button(page, "Drop")).isDisabled();
            page.locator("dialog input").fill("by-title");
            button(page, "Drop").click();
            assertThat(page.locator(".toast")).containsText("Dropped");
            assertThat(page.getByLabel("Drop by-title")).hasCount(0);
        }
        assertThat(world.send("root", "GET", "/books/_indexes", "").body())
                .contains("_id_")
                .doesNotContain("by-title");
    }

    @Test
    void root_can_see_what_a_role_may_do() throws Exception {
        try (var page = world.open("root", "#/access")) {
            page.getByLabel("or of the roles").fill("reader");
            button(page, "Show").click();
            assertThat(page.locator(".matrix tbody tr")).hasCount(1);
            assertThat(page.locator(".matrix tbody")).containsText("/books");
            world.send("root", "POST", "/acl", """
                {"_id": "some", "roles": ["some"], "priority": 1, "predicate": "path-prefix('/books')",
                 "mongo": {"readFilter": {"year": 2000}, "projectResponse": {"year": 0}}}\
                """);
            page.getByLabel("or of the roles").fill("some");
            button(page, "Show").click();
            assertThat(page.getByLabel("Read /books: limited (only some fields, only some documents). Why?"))
                    .isVisible();
            assertThat(page.getByLabel("Create /books: always. Why?")).isVisible();
        }
        assertStatus(403, world.send("ada", "GET", "/_access?roles=reader", ""));
        assertThat(world.send("ada", "GET", "/_access", "").body())
                .contains("/books")
                .doesNotContain("/secrets");
    }

    @Test
    void markup_in_names_and_values_is_shown_edited_exported_and_dropped_as_text() throws Exception {
        var name = "<img src=x onerror=window.__pwned=1>";
        // by the gateway, which then knows of it at once
        assertStatus(201, world.send("root", "PUT", "/%3Cimg%20src=x%20onerror=window.__pwned=1%3E", "{}"));
        world.insert(
                name,
                "{_id: '<svg onload=window.__pwned=1>', '<script>window.__pwned=1</script>':"
                        + " 'javascript:window.__pwned=1', \"'\\\"><iframe srcdoc='<script>parent.__pwned=1</script>'>\":"
                        + " '\u202e<b>x</b>'}",
                "{_id: 'edited', '<img src=x onerror=window__pwned=1>': '<svg onload=window.__pwned=1>'}");
        try (var page = world.open("root", "#/")) {
            page.locator(".tree .node", new Page.LocatorOptions().setHasText(name))
                    .click();
            assertThat(page.locator("table.grid tbody tr")).hasCount(2);
            for (var view : new String[] {"List", "Text", "Table"}) {
                button(page, view).click();
            }
            page.locator("table.grid tbody td:not(.pick)").first().click();
            assertThat(page.locator(".document .cm-content")).containsText("onload");
            assertThat(page.evaluate("() => window.__pwned")).isNull();
            assertThat(page.locator("iframe, script:not([type=module]), main img, main svg[onload]"))
                    .hasCount(0);
            var place =
                    page.evaluate("() => location.hash.replace(/[?].*/, '')").toString();
            page.evaluate("to => { location.hash = to; }", place + "?doc=\"edited\"");
            assertThat(page.locator(".document .cm-content")).containsText("edited");
            var text = page.evaluate("() => document.querySelector('.document .editor').editor.state.doc.toString()")
                    .toString();
            ConsoleWorld.write(page, "Document", text.replaceFirst("}\\s*$", ", more: \"<b>\"}"));
            page.keyboard().press("Control+s");
            assertThat(page.locator(".toast")).containsText("Saved");
            page.evaluate("to => { location.hash = to; }", place + "?tab=transfer");
            var export = page.waitForDownload(() -> button(page, "Export").click());
            assertThat(Files.readString(export.path())).contains("<svg onload", "<b>");
            page.evaluate("to => { location.hash = to; }", place + "?tab=properties");
            button(page, "Drop…").click();
            page.locator("dialog input").fill(name);
            button(page, "Drop").click();
            assertThat(page.locator(".toast").last()).containsText("Dropped");
            assertThat(page.locator(".tree .node", new Page.LocatorOptions().setHasText(name)))
                    .hasCount(0);
            assertThat(page.evaluate("() => window.__pwned")).isNull();
        }
    }

    @Test
    void a_document_that_was_deleted_meanwhile_can_be_stored_anew() throws Exception {
        world.send("root", "POST", "/drafts", "{\"_id\": \"lost\", \"n\": 1}");
        try (var page = world.open("ada", "#/c/drafts?doc=\"lost\"")) {
            assertThat(page.locator(".document .cm-content")).containsText("lost");
            world.send("bob", "DELETE", "/drafts/lost", "");
            ConsoleWorld.write(page, "Document", "{_id: \"lost\", n: 2}");
            button(page, "Save").click();
            assertThat(page.locator(".failure")).containsText("Somebody has deleted this document");
            button(page, "Create it again").click();
            assertThat(page.locator(".toast")).containsText("Created again");
            assertThat(page.locator(".failure")).hasCount(0);
        }
        assertThat(world.stored("drafts", "lost")).containsEntry("n", new BsonInt32(2));
    }
}
