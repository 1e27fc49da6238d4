package org.restheart.core.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.FilePayload;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonString;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.testkit.TestMongo;

/// Administration of data, accounts and permissions with the console in a real browser.
class ConsoleAdministrationTest extends BrowserTest {
    /// Of a file, which is sent in pieces of a thousand.
    private static final int LINES = 5_000;
    private static final int IMPORT_MS = 300_000;

    ConsoleAdministrationTest(TestMongo mongo) {
        super(mongo);
    }

    @BeforeAll
    void create() throws Exception {
        world.send("root", "PUT", "/", "{}");
        for (var name : List.of("/books", "/drafts", "/secrets")) {
            world.send("root", "PUT", name, "{}");
        }
        world.send(
                "root",
                "POST",
                "/books",
                "[{\"_id\": \"b1\", \"title\": \"One\", \"year\": 2000}, {\"_id\": \"b2\", \"title\": \"=1+1\","
                        + " \"year\": 2001}, {\"_id\": \"b3\", \"title\": \"a,\\\"b\\\"\", \"year\": 1950}]");
    }

    private static Locator tab(Page page, String name) {
        return page.locator(".tabs a", new Page.LocatorOptions().setHasText(name));
    }

    @Test
    void files_are_uploaded_into_a_bucket() throws Exception {
        world.send("root", "PUT", "/pics.files", "{}");
        try (var page = world.open("root", "#/c/pics.files")) {
            assertThat(page.locator("pre.line")).containsText("-F file=@logo.png");
            page.locator("input[type=file]")
                    .setInputFiles(
                            new FilePayload("logo.txt", "text/plain", "a logo".getBytes(StandardCharsets.UTF_8)));
            assertThat(page.locator("table.grid tbody tr")).hasCount(1);
            assertThat(page.locator("table.grid tbody tr")).containsText("logo.txt");
        }
    }

    @Test
    void a_schema_that_is_not_there_is_not_shown_as_enforced() throws Exception {
        world.send("root", "PUT", "/unmet", "{}");
        world.send("root", "PATCH", "/unmet", "{\"jsonSchema\": {\"schemaId\": \"gone\"}}");
        try (var page = world.open("root", "#/c/unmet?tab=schema")) {
            assertThat(page.getByText("missing: gone")).isVisible();
            assertThat(page.getByRole(AriaRole.ALERT)).containsText("every write of a document fails");
            assertThat(page.getByText("enforced: gone")).hasCount(0);
        }
    }

    @Test
    void a_violation_of_the_schema_is_shown_at_its_field() throws Exception {
        world.send("root", "PUT", "/typed", "{}");
        try (var page = world.open("root", "#/c/typed?tab=schema")) {
            assertThat(page.locator(".cm-content[aria-label='JSON Schema']")).containsText("object");
            ConsoleWorld.write(
                    page,
                    "JSON Schema",
                    "{type: \"object\", required: [\"title\"], properties: {_id: {}, _etag: {}, title: {type:"
                            + " \"string\"}, year: {type: \"number\"}}}");
            button(page, "Check the first 1,000 documents").click();
            assertThat(page.getByText("0 documents: all conform")).isVisible();
            button(page, "Save and enforce").click();
            assertThat(page.getByText("enforced: typed")).isVisible();
            page.navigate(world.address() + "/_console/#/c/typed?doc=new");
            ConsoleWorld.write(page, "Document", "{_id: \"t\", title: \"x\", year: \"old\"}");
            button(page, "Create").click();
            assertThat(page.locator(".failure")).containsText("year");
            assertThat(page.locator(".document .cm-lintRange-error")).isVisible();
            page.getByLabel("year").fill("2001");
            page.getByLabel("year").press("Tab");
            assertThat(page.locator(".document .cm-content")).containsText("year: 2001");
            world.insert("typed", "{_id: 'older', title: 5}");
            page.onDialog(question -> question.accept()); // whether to leave what is written
            page.evaluate("() => { location.hash = '#/c/typed?tab=schema'; }");
            button(page, "Check the first 1,000 documents").click();
            assertThat(page.locator("[aria-labelledby=stored-schema]"))
                    .containsText("1 of 1 document would be refused");
            assertThat(page.locator("[aria-labelledby=stored-schema] li")).containsText("title is integer, not string");
        }
    }

    @Test
    void a_large_file_is_imported_once_however_often_it_is_sent() {
        var csv = new StringBuilder("name,year,price\n");
        for (int i = 1; i <= LINES; i++) {
            csv.append(
                    i == 500 || i == 2_500 ? "book,old,1\n" : i == 4_700 ? "a,b\n" : "book " + i + "," + i + ",1.5\n");
        }
        try (var page = world.open("root", "#/c/drafts?tab=transfer")) {
            for (int round = 0; round < 2; round++) {
                page.locator("input[type=file]")
                        .setInputFiles(new FilePayload(
                                "books.csv", "text/csv", csv.toString().getBytes(StandardCharsets.UTF_8)));
                assertThat(page.locator(".preview tbody tr")).hasCount(20);
                var held = hold(page, url -> url.endsWith("/drafts"));
                button(page, "Import").click();
                assertThat(page.locator("progress")).isVisible();
                waitFor(page, held);
                release(page, held);
                var result = page.locator("[role=status]", new Page.LocatorOptions().setHasText("stored"));
                assertThat(result)
                        .containsText(
                                round == 0 ? "4,997 stored" : "0 stored, 4,997 were there already",
                                new LocatorAssertions.ContainsTextOptions().setTimeout(IMPORT_MS));
                assertThat(result).containsText("3 with errors");
            }
            var download = page.waitForDownload(() -> button(page, "All errors").click());
            var lines = read(download.path());
            assertThat(lines.lines()).hasSize(4);
            assertThat(lines).contains("501,", "2501,", "4701,", "no number");
            assertThat(world.collection("drafts").countDocuments(new BsonDocument("price", new BsonDouble(1.5))))
                    .isEqualTo(LINES - 3);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void the_filtered_documents_are_exported_without_formulas() {
        try (var page = world.open("ada", "#/c/books?tab=transfer&filter={year:{$gt:1990}}")) {
            var lines = page.waitForDownload(() -> button(page, "Export").click());
            assertThat(read(lines.path()).lines().map(BsonDocument::parse))
                    .extracting(document -> document.getString("_id").getValue())
                    .containsExactlyInAnyOrder("b1", "b2");
            button(page, "CSV").click();
            var csv = page.waitForDownload(() -> button(page, "Export").click());
            assertThat(read(csv.path()))
                    .contains("'=1+1")
                    .doesNotContain(",=1+1")
                    .doesNotContain("\nb3,");
        }
    }

    @Test
    void a_stage_that_writes_is_refused_where_it_stands() {
        try (var page = world.open("root", "#/c/books?tab=aggregations")) {
            button(page, "Add stage").click();
            page.getByLabel("Operator of stage 2").selectOption("$out");
            assertThat(page.locator(".stage").nth(1)).containsText("does not run pipelines that write");
            ConsoleWorld.write(page, "Stage 2, $out", "\"stolen\"");
            button(page, "Run").click();
            assertThat(page.locator(".stage.refused")).containsText("$out");
            assertThat(page.locator(".failure")).containsText("$out");
        }
        assertThat(world.collection("stolen").countDocuments()).isZero();
    }

    @Test
    void a_stored_pipeline_runs_with_the_variables_that_the_gateway_sets() throws Exception {
        world.send("root", "PUT", "/votes", """
            {"aggrs": [{"uri": "mine", "allowDiskUse": true, "stages": [
              {"$match": {"by": {"$var": "@user._id"}}}, {"$limit": {"$var": "@pagesize"}}]}]}\
            """);
        world.send("root", "POST", "/votes", "[{\"by\": \"root\"}, {\"by\": \"ada\"}]");
        try (var page = world.open("root", "#/c/votes?tab=aggregations")) {
            button(page, "mine").click();
            button(page, "Run").click();
            assertThat(page.locator("table.grid tbody tr")).hasCount(1);
            button(page, "Result after stage 1").click();
            assertThat(page.locator(".failure")).containsText("@user._id has a value in stored pipelines only");
            button(page, "Save…").click();
            button(page, "Save").click();
            assertThat(page.locator(".toast")).containsText("stored");
        }
        assertThat(world.send("root", "GET", "/votes/_meta", "").body()).contains("allowDiskUse");
    }

    @Test
    void lists_name_what_was_asked_for() throws Exception {
        world.send("root", "PUT", "/_schemas", "{}");
        world.send("root", "PUT", "/_schemas/essay?wm=upsert", """
            {"type": "object", "required": ["title", "by"], "properties": {"_id": {}, "_etag": {}, "title": {"type": "string"},
             "by": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}}}}\
            """);
        world.send("root", "PUT", "/essays", "{\"jsonSchema\": {\"schemaId\": \"essay\"}}");
        world.send("root", "PUT", "/essays/_indexes/words", """
            {"keys": {"title": "text", "by.name": "text"}, "ops": {"weights": {"title": 5}}}\
            """);
        try (var page = world.open("root", "#/c/essays?tab=indexes")) {
            var keys = page.locator("main table tbody tr").nth(1).locator("td").first();
            assertThat(keys.locator(".tag")).hasText(new String[] {"by.name text", "title text, weight 5"});
            tab(page, "Schema").click();
            var required = page.locator("tr", new Page.LocatorOptions().setHasText("required"));
            assertThat(required.locator("th", new Locator.LocatorOptions().setHasText("title")))
                    .isVisible();
            assertThat(required.locator("th", new Locator.LocatorOptions().setHasText("name")))
                    .isVisible();
            assertThat(required.locator("th", new Locator.LocatorOptions().setHasText("age")))
                    .hasCount(0);
            page.evaluate("() => { location.hash = '#/c/essays?doc=new'; }");
            assertThat(page.locator(".beside label", new Page.LocatorOptions().setHasText("(required)")))
                    .containsText("title");
            page.evaluate("() => { location.hash = '#/api?q=essays+PATCH'; }");
            assertThat(page.locator(".operation > button")).hasCount(3);
        }
    }

    @Test
    void an_account_is_created_with_a_permission_and_can_read() {
        try (var page = world.open("root", "#/access")) {
            tab(page, "Accounts").click();
            button(page, "New account").click();
            page.getByLabel("Name").fill("rea");
            page.getByLabel("Roles").fill("librarian");
            page.getByLabel("Password").fill("secret");
            button(page, "Create").click();
            assertThat(page.locator("main table")).containsText("librarian");
            tab(page, "Permissions").click();
            button(page, "New permission").click();
            button(page, "Text").click();
            page.getByLabel("Name").fill("librarians");
            page.getByLabel("Roles").fill("librarian");
            ConsoleWorld.write(page, "Predicate", "path-prefix('/books') and methd(GET)");
            assertThat(page.locator("dialog mark")).hasText("m");
            assertThat(page.locator("dialog [role=alert]")).containsText("methd");
            assertThat(button(page, "Create")).isDisabled();
            ConsoleWorld.write(page, "Predicate", "path-prefix('/books') and method(GET)");
            assertThat(page.locator("dialog mark")).hasCount(0);
            button(page, "Create").click();
            assertThat(page.locator("main table")).containsText("librarians");
        }
        assertThat(world.stored("users", "rea").getString("password").getValue())
                .startsWith("$2");
        try (var page = world.open("rea", "#/c/books")) {
            assertThat(page.locator("table.grid tbody tr")).hasCount(3);
        }
    }

    @Test
    void a_permission_is_made_from_a_template_and_tested_as_an_account() throws Exception {
        world.send("root", "POST", "/users", "{\"_id\": \"owen\", \"password\": \"secret\", \"roles\": [\"owning\"]}");
        try (var page = world.open("root", "#/access?tab=permissions")) {
            button(page, "New permission").click();
            var dialog = page.locator("dialog");
            dialog.getByLabel("Template").selectOption("Own documents only");
            dialog.getByLabel("Name").fill("own-drafts");
            dialog.getByLabel("Roles").fill("owning");
            dialog.getByLabel("Collection").fill("/drafts");
            dialog.getByLabel("Delete").uncheck();
            dialog.getByLabel("Hidden fields").fill("cost, place.city");
            assertThat(page.locator("dialog pre")).containsText("readFilter: {owner: \"@user._id\"}");
            button(page, "Create").click();
            page.getByLabel("Test \"own-drafts\" as an account").click();
            page.locator("dialog").getByLabel("Account").selectOption("owen");
            assertThat(page.locator("dialog [role=status]")).containsText("{\"owner\":\"owen\"}");
            assertThat(page.getByText("Show the documents that it reads"))
                    .hasAttribute("href", Pattern.compile("/drafts\\?filter=.*owen.*&keys=.*cost"));
            page.getByLabel("Method to check").selectOption("DELETE");
            button(page, "Check").click();
            assertThat(page.locator("dialog [role=status]")).containsText("Refused");
        }
        var owen = world.client("owen");
        assertStatus(201, owen.json("POST", "/drafts", "{\"_id\": \"of-owen\", \"cost\": 5}"));
        assertThat(world.stored("drafts", "of-owen")).containsEntry("owner", new BsonString("owen"));
        assertThat(owen.get("/drafts/of-owen").body()).doesNotContain("cost");
        assertStatus(403, owen.json("POST", "/drafts", "{\"owner\": \"ada\"}"));
    }

    @Test
    void an_account_changes_its_own_password() {
        var account = world.stored("users", "root").append("_id", new BsonString("pat"));
        world.collection("users").insertOne(account);
        try (var page = world.open("pat", "#/settings")) {
            button(page, "pat").click();
            page.getByRole(AriaRole.MENUITEM, new Page.GetByRoleOptions().setName("Change password…"))
                    .click();
            page.getByLabel("Current password").fill("a guess");
            for (var field :
                    page.locator("dialog input[autocomplete=new-password]").all()) {
                field.fill("warm sand glows");
            }
            button(page, "Change it").click();
            assertThat(page.locator("dialog .failure")).containsText("The current password is wrong");
            page.getByLabel("Current password").fill("secret");
            button(page, "Change it").click();
            assertThat(page.locator(".toast")).containsText("The password is changed");
            page.reload();
            world.signIn(page, "pat", "warm sand glows");
            assertThat(page.locator("main h1")).hasText("Settings");
        }
    }

    @Test
    void the_first_page_tells_how_much_there_is_and_sets_apart_what_the_gateway_keeps() {
        try (var page = world.open("root", "#/")) {
            var books = page.locator(".overview tr", new Page.LocatorOptions().setHasText("books"));
            assertThat(books.locator("td").nth(0)).hasText("3");
            assertThat(books.locator("td").nth(1)).containsText(" B");
            assertThat(page.locator(".system summary")).containsText("acl, users");
            var listed = page.locator(".tree-list li");
            var heading = listed.allInnerTexts().indexOf("System");
            assertThat(listed.allInnerTexts().indexOf("users")).isGreaterThan(heading);
            assertThat(listed.allInnerTexts().indexOf("books")).isLessThan(heading);
        }
        try (var page = world.open("reader", "#/")) {
            var books = page.locator(".overview tr", new Page.LocatorOptions().setHasText("books"));
            assertThat(books.locator("td").nth(0)).hasText("3");
            assertThat(page.locator(".overview thead")).not().containsText("Size");
        }
    }

    @Test
    void every_page_leads_to_its_documentation() {
        try (var page = world.open("root", "#/access?tab=permissions")) {
            page.getByLabel("Documentation: predicates, limits and recipes").click();
            assertThat(page.locator(".doc h1")).hasText("Access rules");
            page.locator(".doc a", new Page.LocatorOptions().setHasText("How to secure a gateway"))
                    .first()
                    .click();
            assertThat(page.locator(".doc h1")).hasText("How to secure a gateway");
            for (var place : List.of("#/", "#/try", "#/settings")) {
                page.evaluate("place => { location.hash = place; }", place);
                assertThat(page.locator(".page-head .help")).isVisible();
            }
            page.locator(".help").click();
            for (var link : page.locator(".docs-nav a").all()) {
                link.click();
                assertThat(link).hasAttribute("aria-current", "page");
                assertThat(page.locator(".doc h1")).hasCount(1);
            }
        }
    }

    @Test
    void a_filter_is_made_of_conditions() {
        try (var page = world.open("root", "#/c/books")) {
            button(page, "Conditions").click();
            page.getByLabel("Field of condition 1").fill("year");
            page.getByLabel("Operator of condition 1").selectOption("is at least");
            page.getByLabel("Value of condition 1").fill("2000");
            button(page, "Add condition").click();
            page.getByLabel("Field of condition 2").fill("title");
            page.getByLabel("Operator of condition 2").selectOption("begins with");
            page.getByLabel("Value of condition 2").fill("=");
            page.keyboard().press("Enter");
            assertThat(page.locator("table.grid tbody tr")).hasCount(1);
            assertThat(page.locator(".cm-content[aria-label='Filter']")).hasText("{year: {$gte: 2000}, title: /^=/}");
            page.getByLabel("Combine conditions by").selectOption("or");
            button(page, "Run").click();
            assertThat(page.locator("table.grid tbody tr")).hasCount(2);
            ConsoleWorld.write(page, "Filter", "{$nor: [{year: 2000}]}");
            assertThat(page.locator(".conditions")).containsText("cannot show all of this filter");
        }
    }

    @Test
    void a_cell_says_which_part_of_which_permission_failed() {
        try (var page = world.open("root", "#/access")) {
            page.getByLabel("Rights of the account").fill("reader");
            button(page, "Show").click();
            assertThat(page.locator(".matrix tbody tr")).hasCount(1);
            page.getByLabel("Delete /books: never. Why?").click();
            assertThat(page.locator("dialog .trace")).containsText("readers");
            assertThat(page.locator("dialog .trace code")).hasText("method(GET)");
            assertThat(page.locator("dialog")).containsText("Refused");
        }
        assertThat(world.stored("books", "b1")).containsEntry("title", new BsonString("One"));
    }

    @Test
    void roles_that_may_make_a_request_are_told() {
        try (var page = world.open("root", "#/access")) {
            page.getByLabel("Path to check").fill("/books");
            button(page, "Who may do this?").click();
            var answers = page.locator("#main [role=status] p");
            assertThat(answers.nth(0)).containsText("reader");
            assertThat(answers.nth(0)).containsText("editor");
            page.getByLabel("Method to check").selectOption("DELETE");
            page.getByLabel("Path to check").fill("/books/b1");
            button(page, "Who may do this?").click();
            assertThat(answers.nth(1)).containsText("reader");
        }
    }

    @Test
    void what_the_account_may_never_do_is_not_offered() {
        try (var page = world.open("reader", "#/c/books?filter={year:2000}")) {
            assertThat(page.locator("table.grid tbody tr")).hasCount(1);
            assertThat(page.locator(".tabs")).containsText("export");
            for (var action : List.of("New document", "All results", "New collection")) {
                assertThat(button(page, action)).hasCount(0);
            }
            page.evaluate("() => { location.hash = '#/c/books?doc=\"b1\"'; }");
            assertThat(page.locator(".document .cm-content")).containsText("One");
            assertThat(page.locator(".document")).containsText("this account may not change it");
            assertThat(button(page, "Save")).hasCount(0);
        }
    }

    @Test
    void all_that_match_a_filter_are_counted_before_they_are_changed() throws Exception {
        world.send("root", "PUT", "/stock", "{}");
        var many = IntStream.range(0, 120).mapToObj(i -> "{\"n\": " + i + "}").toList();
        world.send("root", "POST", "/stock", many.toString());
        try (var page = world.open("root", "#/c/stock?filter={n:{$lt:70}}&size=20")) {
            button(page, "All results").click();
            page.getByRole(AriaRole.MENUITEM, new Page.GetByRoleOptions().setName("Update all…"))
                    .click();
            ConsoleWorld.write(page, "Change", "{$set: {low: true}}");
            button(page, "Rehearse").click();
            assertThat(page.locator(".toast")).containsText("70 documents of stock would change; none has");
            assertThat(world.collection("stock").countDocuments(BsonDocument.parse("{low: true}")))
                    .isZero();
            world.insert("stock", "{_id: 'late', n: 1}");
            button(page, "Update 70").click();
            assertThat(page.locator("dialog .failure")).containsText("70");
            assertThat(world.collection("stock").countDocuments(BsonDocument.parse("{low: true}")))
                    .isZero();
            world.send("root", "DELETE", "/stock/late", "");
            button(page, "Update 70").click();
            assertThat(page.locator(".toast").last()).containsText("70 documents of stock changed");
            button(page, "All results").click();
            page.getByRole(AriaRole.MENUITEM, new Page.GetByRoleOptions().setName("Delete all…"))
                    .click();
            assertThat(button(page, "Delete 70")).isDisabled();
            button(page, "Rehearse").click();
            assertThat(page.locator(".toast").last()).containsText("70 documents of stock would be deleted; none is");
            page.locator("dialog input").fill("70");
            button(page, "Delete 70").click();
            assertThat(page.locator(".toast").last()).containsText("70 documents of stock deleted");
        }
        assertThat(world.collection("stock").countDocuments()).isEqualTo(50);
    }

    @Test
    void a_forbidden_view_says_so_and_reveals_nothing() {
        world.insert("secrets", "{_id: 'hidden-thing', color: 'mauve'}");
        try (var page = world.open("reader", "#/c/secrets")) {
            assertThat(page.locator("main .failure")).containsText("403");
            button(page, "Why?").click();
            assertThat(page.locator("dialog")).containsText("Refused");
            assertThat(page.locator("dialog .trace")).containsText("does not cover this request");
            assertThat(page.locator("body")).not().containsText("hidden-thing");
            assertThat(page.locator("body")).not().containsText("mauve");
            assertThat(page.locator("body")).not().containsText("path-prefix");
        }
    }

    @Test
    void an_api_key_is_shown_once_works_and_can_be_revoked() throws Exception {
        try (var page = world.open("root", "#/access?tab=keys")) {
            button(page, "New key").click();
            page.getByLabel("Name").fill("reports");
            page.locator("dialog").getByLabel("Account").fill("ada");
            button(page, "Create").click();
            var key = page.locator("dialog .secret").innerText();
            var line =
                    page.locator("dialog pre").innerText().replace(world.address() + "/", world.address() + "/books");
            assertThat(ConsoleWorld.shell(line, "RH_KEY", key)).contains("b1");
            button(page, "Done").click();
            assertThat(page.locator("main table")).containsText("reports");
            assertThat(page.locator("body")).not().containsText(key);
            button(page, "Disable").click();
            assertThat(page.locator("main table")).containsText("disabled");
            assertThat(ConsoleWorld.shell(line.replace("-sS", "-sS -o /dev/null -w '%{http_code}'"), "RH_KEY", key))
                    .isEqualTo("401");
        }
    }

    @Test
    void a_request_can_be_sent_from_the_documentation_and_copied_as_java(@TempDir Path folder) throws Exception {
        world.send("root", "POST", "/drafts", "{\"_id\": \"try1\", \"kind\": \"tried\", \"n\": 1}");
        try (var page = world.open("ada", "#/api")) {
            page.getByLabel("Find", new Page.GetByLabelOptions().setExact(true)).fill("PATCH /drafts/*");
            page.locator(".operation > button").first().click();
            assertThat(page.locator(".operation-body table")).containsText("filter");
            button(page, "Try it").click();
            button(page, "Add parameter").click();
            page.getByLabel("Name of parameter 1").fill("filter");
            page.getByLabel("Value of parameter 1").fill("{\"kind\":\"tried\"}");
            assertThat(page.locator(".pair .hint")).not().isEmpty();
            ConsoleWorld.write(page, "Body", "{\"$inc\": {\"n\": 1}}");
            button(page, "Send").click();
            assertThat(page.locator("pre[aria-label='Response body']")).containsText("modified");
            button(page, "Java").click();
            var source = folder.resolve("Main.java");
            Files.writeString(source, page.locator("pre[aria-label=Code]").innerText());
            var printed = ConsoleWorld.shell(
                    System.getProperty("java.home") + "/bin/java " + source, "RH_USER", "ada:secret");
            assertThat(printed).startsWith("200");
        }
        assertThat(world.stored("drafts", "try1").getNumber("n").intValue()).isEqualTo(3);
    }

    @Test
    void properties_are_changed_and_a_collection_is_dropped_by_its_name() throws Exception {
        world.send("root", "PUT", "/passing", "{}");
        try (var page = world.open("root", "#/c/passing?tab=properties")) {
            ConsoleWorld.write(page, "Properties", "{descr: \"for a while\", mine: 5}");
            button(page, "Save").click();
            assertThat(page.locator(".toast")).containsText("Saved");
            assertThat(page.getByLabel("Description")).hasValue("for a while");
            button(page, "Drop…").click();
            page.locator("dialog input").fill("passing");
            button(page, "Drop").click();
            assertThat(page.locator(".tree .node", new Page.LocatorOptions().setHasText("passing")))
                    .hasCount(0);
        }
        assertStatus(404, world.send("root", "GET", "/passing", ""));
    }
}
