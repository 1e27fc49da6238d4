package org.restheart.core.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestMongo;

/// Every page of the console: whether people who cannot see or point well can use it, and what hostile data do to it.
class ConsoleLooksTest extends BrowserTest {
    private static final List<String> PAGES = List.of(
            "#/",
            "#/c/books",
            "#/c/books?view=list",
            "#/c/books?view=text",
            "#/c/books?filter={year:1}",
            "#/c/books?collation={locale:'en'}",
            "#/c/books?doc=\"b1\"",
            "#/c/books?doc=new",
            "#/c/books?doc=\"none\"",
            "#/c/empty",
            "#/c/books?tab=aggregations",
            "#/c/books?tab=live",
            "#/c/empty?tab=live",
            "#/c/books?tab=schema",
            "#/c/books?tab=indexes",
            "#/c/books?tab=transfer",
            "#/c/books?tab=properties",
            "#/access",
            "#/access?tab=accounts",
            "#/access?tab=permissions",
            "#/access?tab=keys",
            "#/api",
            "#/try",
            "#/metrics",
            "#/docs/reference/rules",
            "#/settings");

    ConsoleLooksTest(TestMongo mongo) {
        super(mongo);
    }

    @BeforeAll
    void create() throws Exception {
        world.send("root", "PUT", "/", "{}");
        world.send("root", "PUT", "/empty", "{}");
        world.send("root", "PUT", "/books", "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}");
        world.send(
                "root",
                "POST",
                "/books",
                "[{\"_id\": \"b1\", \"title\": \"One\", \"year\": 2000, \"at\": {\"$date\": 0}, \"list\": [1, null]},"
                        + " {\"_id\": \"b2\", \"title\": \"Two\", \"sub\": {\"a\": true}}]");
    }

    private static void goTo(Page page, String place) {
        // the page hears of it in a task of its own, and begins to load when it has drawn what it has
        page.evaluate(
                "place => { location.hash = place; return new Promise(drawn => setTimeout(() =>"
                        + " requestAnimationFrame(() => setTimeout(drawn)))); }",
                place);
        page.waitForFunction(
                "() => document.querySelector('main h1') && !document.querySelector('main [aria-busy=true]')");
    }

    @ParameterizedTest
    @ValueSource(ints = {1280, 320})
    void axe_finds_nothing_on_any_page(int width) throws IOException {
        String axe;
        try (var in = Objects.requireNonNull(ConsoleLooksTest.class.getResourceAsStream("/axe.min.js"))) {
            axe = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        var found = new LinkedHashMap<String, List<String>>();
        try (var page = world.page("", width, ColorScheme.LIGHT)) {
            page.evaluate(axe);
            note(found, "sign in", page);
            world.signIn(page, "root", "secret");
            page.waitForSelector(".frame");
            for (var place : PAGES) {
                goTo(page, place);
                note(found, place, page);
            }
            page.keyboard().press("Control+k");
            page.waitForSelector("dialog[open]");
            note(found, "palette", page);
        }
        assertThat(found).isEmpty();
    }

    private static List<?> violations(Page page, String runOnly, boolean colors) {
        return (List<?>) page.evaluate("""
            async ([runOnly, enabled]) => (await axe.run(document, {runOnly, rules: {"color-contrast": {enabled}}}))
              .violations.flatMap(rule => rule.nodes.map(node =>
                rule.id + ": " + node.html.slice(0, 200) + " " + node.failureSummary.slice(0, 200)))\
            """, List.of(List.of(runOnly.split(" ")), colors));
    }

    /// The themes differ in their colors only, which do not depend on the width.
    private static void note(Map<String, List<String>> found, String place, Page page) {
        var all = new ArrayList<String>();
        boolean wide = page.viewportSize().width > 1_000;
        violations(page, "wcag2a wcag2aa wcag21a wcag21aa wcag22aa best-practice", wide)
                .forEach(one -> all.add(one.toString()));
        if (wide) {
            page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
            violations(page, "color-contrast link-in-text-block", true).forEach(one -> all.add("dark: " + one));
            page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.LIGHT));
        }
        if ((Boolean) page.evaluate("() => document.documentElement.scrollWidth > innerWidth + 1")) {
            all.add("the page is wider than the window");
        }
        if (!all.isEmpty()) {
            found.put(place, all);
        }
    }

    @Test
    void documents_are_readable_and_saved_on_screens_of_every_width() throws Exception {
        var id = "6b02c888c7449297a9373f31";
        world.send("root", "PUT", "/visits", "{}");
        world.send("root", "POST", "/visits", """
            [{"_id": {"$oid": "$id"}, "name": "Zoe", "at": "noon", "seats": 2}, {"name": "Max", "at": "noon", "seats": "two"},
             {"name": "Eva", "at": "noon", "seats": 3}]\
            """.replace("$id", id));
        try (var page = world.open("root", "#/c/visits")) {
            var head = page.locator("table.grid th");
            assertThat(head.nth(1)).hasText("_id objectId");
            assertThat(head.nth(4)).hasText("seats int");
            assertThat(page.locator("table.grid td .type")).hasText("string");
            page.evaluate("id => { location.hash = `#/c/visits?doc=ObjectId(\"${id}\")`; }", id);
            ConsoleWorld.write(page, "Document", "{name: \"Zoe\"}");
            var save = button(page, "Save").boundingBox();
            var back = page.getByLabel("Back to the documents").boundingBox();
            assertThat(save.y).as("in one line").isEqualTo(back.y);
        }
        try (var page = world.page("#/c/visits", 390, ColorScheme.LIGHT)) {
            world.signIn(page, "root", "secret");
            for (var name : List.of("Zoe", "Max", "Eva")) {
                var cell = page.locator("table.grid .value", new Page.LocatorOptions().setHasText(name));
                assertThat(cell).isVisible();
                var place = cell.boundingBox();
                assertThat(place.x + place.width).isLessThan(390);
            }
        }
    }

    @Test
    void controls_stay_in_sight_and_in_line() throws Exception {
        var name = "visits-of-the-old-house";
        world.send("root", "PUT", "/" + name, "{}");
        var visits = IntStream.range(0, 60).mapToObj(n -> "{\"n\": " + n + "}").collect(joining(", ", "[", "]"));
        world.send("root", "POST", "/" + name, visits);
        try (var page = world.open("root", "#/c/" + name + "?filter={n:{$gte:0}}&sort={n:1}")) {
            assertThat(page.locator("table.grid tbody tr")).hasCount(50);
            var pager = page.locator(".pager");
            assertThat(bottom(pager)).as("pager").isLessThanOrEqualTo(top(page.locator(".drawer")));
            page.locator(".drawer-toggle").click();
            assertThat(page.locator(".drawer-list")).isVisible();
            assertThat(bottom(pager)).as("with the drawer").isLessThanOrEqualTo(top(page.locator(".drawer")));
            assertThat(bottom(page.locator(".help"))).as("documentation").isLessThan(bottom(page.locator(".tabs")));
            goTo(page, "#/access?tab=permissions");
            button(page, "New permission").click();
            page.getByLabel("Template").selectOption("Own documents only");
            assertThat(bottom(button(page, "Create"))).as("of a long form").isLessThan(800);
            page.keyboard().press("Escape");
            goTo(page, "#/settings");
            var head = page.locator(".page-head").boundingBox();
            assertThat(head.x + head.width).isEqualTo(1280);
        }
        try (var page = world.page("#/c/" + name, 390, ColorScheme.LIGHT)) {
            world.signIn(page, "root", "secret");
            var run = button(page, "Run");
            assertThat(run).isVisible();
            assertThat(top(run)).isLessThan(bottom(page.locator(".cm-content[aria-label='Filter']")));
            goTo(page, "#/access?tab=accounts");
            var remove = page.getByLabel("Delete ada").boundingBox();
            var panel = page.locator(".panel.flush").boundingBox();
            assertThat(remove.x + remove.width).isLessThan(panel.x + panel.width);
        }
    }

    private static double top(Locator part) {
        return part.boundingBox().y;
    }

    private static double bottom(Locator part) {
        var box = part.boundingBox();
        return box.y + box.height;
    }

    /// 100 texts that some page has once run.
    private static List<String> payloads() {
        var mark = "window.__pwned=1";
        var payloads = new ArrayList<String>();
        for (var tag :
                List.of("img", "svg", "body", "video", "audio", "iframe", "input", "details", "object", "marquee")) {
            for (var event : List.of("onerror", "onload", "onfocus autofocus", "ontoggle open", "onmouseover")) {
                payloads.add("<" + tag + " src=x " + event + "=" + mark + ">");
            }
        }
        for (var scheme : List.of("javascript", "JaVaScRiPt", " javascript", "java\tscript", "vbscript", "data")) {
            payloads.add(scheme + ":" + mark);
            payloads.add("<a href=\"" + scheme + ":" + mark + "\">x</a>");
            payloads.add("[x](" + scheme + ":" + mark + ")");
        }
        for (var quote : List.of(
                "\"", "'", "`", "\">", "'>", "-->", "]]>", "</script>", "</textarea>", "</title>", "${", "{{")) {
            payloads.add(quote + "<script>" + mark + "</script>");
            payloads.add(quote + " onmouseover=" + mark + " x=" + quote);
        }
        payloads.addAll(List.of(
                "{{constructor.constructor('" + mark + "')()}}",
                "${" + mark + "}",
                "<svg><script>" + mark + "</script></svg>",
                "<math><mtext></form><form><mglyph><style></math><img src onerror=" + mark + ">",
                "<template><img src=x onerror=" + mark + "></template>",
                "\u202e<b>" + mark + "</b>",
                "\u0000<script>" + mark + "</script>",
                "%3Cscript%3E" + mark + "%3C/script%3E"));
        return payloads;
    }

    @Test
    void a_hundred_hostile_texts_stay_texts_on_every_page() throws Exception {
        var payloads = payloads();
        assertThat(payloads).hasSize(100).doesNotHaveDuplicates();
        var hostile = "<img src=x onerror=window.__pwned=1>";
        for (int i = 0; i < payloads.size(); i++) {
            var text = new BsonString(payloads.get(i));
            var key = payloads.get(i).replace("\u0000", "");
            world.collection(hostile)
                    .insertOne(new BsonDocument("_id", text)
                            .append(key, text)
                            .append("nested", new BsonDocument(key, new BsonArray(List.of(text)))));
        }
        world.collection("acl")
                .insertOne(new BsonDocument("_id", new BsonString("x" + hostile))
                        .append("roles", new BsonArray(List.of(new BsonString(hostile))))
                        .append("predicate", new BsonString("path('" + hostile + "')")));
        var path = "/"
                + java.net.URLEncoder.encode(hostile, StandardCharsets.UTF_8).replace("+", "%20");
        world.send(
                "root",
                "PATCH",
                path,
                new BsonDocument("descr", new BsonString(hostile))
                        .append(
                                "aggrs",
                                BsonDocument.parse("{a: [{uri: 'p', stages: [{$match: {}}]}]}")
                                        .get("a"))
                        .toJson());
        var place = "#/c" + path;
        try (var page = world.open("root", "#/")) {
            for (var view : List.of("?size=100", "?size=100&view=list", "?size=100&view=text")) {
                goTo(page, place + view);
                assertThat(page.locator("main")).containsText("__pwned");
                expectHarmless(page);
            }
            for (var tab : List.of("aggregations", "live", "schema", "indexes", "transfer", "properties")) {
                goTo(page, place + "?tab=" + tab);
                expectHarmless(page);
            }
            for (int i = 0; i < payloads.size(); i += 10) {
                var id = new BsonDocument("v", new BsonString(payloads.get(i))).toJson();
                var text =
                        id.substring(id.indexOf(':') + 1, id.lastIndexOf('}')).strip();
                goTo(page, place + "?doc=" + java.net.URLEncoder.encode(text, StandardCharsets.UTF_8));
                expectHarmless(page);
            }
            for (var other : List.of("#/access", "#/access?tab=permissions", "#/api", "#/try", "#/")) {
                goTo(page, other);
                expectHarmless(page);
            }
        }
        world.collection("acl").deleteOne(new BsonDocument("_id", new BsonString("x" + hostile)));
        world.collection(hostile).drop();
    }

    private static void expectHarmless(Page page) {
        assertThat(page.evaluate("() => window.__pwned")).isNull();
        assertThat((Integer) page.evaluate("() => document.querySelectorAll('iframe, object, embed, video, audio, math,"
                        + " marquee, script:not([type=module]), a[href^=\"javascript\" i],"
                        + " a[href^=\"data\" i], main img').length"))
                .isZero();
    }

    /// Presses the key until the condition, in the page's language, holds.
    private static void pressUntil(Page page, String key, String condition) {
        for (int i = 0; i < 40; i++) {
            page.keyboard().press(key);
            page.waitForTimeout(250);
            if ((Boolean) page.evaluate("() => Boolean(" + condition + ")")) {
                return;
            }
        }
        throw new AssertionError(key + " has no effect");
    }

    @Test
    void signing_in_filtering_and_saving_work_with_the_keyboard_alone() {
        try (var page = world.page("#/c/books")) {
            signInWithKeys(page);
            assertThat(page.locator("table.grid tbody tr")).hasCount(2);
            pressUntil(page, "/", "document.activeElement?.closest('.editor')");
            page.keyboard().press("Control+a"); // the key may have been pressed once more than was needed
            page.keyboard().insertText("{year: 2000}");
            page.keyboard().press("Control+Enter");
            assertThat(page.locator("table.grid tbody tr")).hasCount(1);
            // The first Escape may close a list of completions, which opens or not as time permits.
            pressUntil(page, "Escape", "!document.activeElement?.closest('.editor')");
            // While the grid is drawn anew it takes no keys.
            pressUntil(page, "j", "document.activeElement?.getAttribute('role') === 'gridcell'");
            page.keyboard().press("Enter");
            assertThat(page.locator(".document .cm-content")).containsText("One");
            pressUntil(page, "e", "document.activeElement?.closest('.document .editor')");
            page.keyboard().press("Control+a");
            page.keyboard().insertText("{_id: \"b1\", title: \"Keys\", year: 2000}");
            page.keyboard().press("Control+s");
            assertThat(page.locator(".toast")).containsText("Saved");
            var tree = page.locator("body").ariaSnapshot();
            assertThat(tree).doesNotContainPattern("(?m)^\\s*- (button|textbox|link|combobox)\\s*$");
        }
        assertThat(world.stored("books", "b1")).containsEntry("title", new BsonString("Keys"));
    }

    private static void signInWithKeys(Page page) {
        page.waitForSelector("input[name=username]");
        page.locator("input[name=username]").focus();
        page.keyboard().type("ada");
        page.keyboard().press("Tab");
        page.keyboard().type("secret");
        page.keyboard().press("Enter");
    }

    @Test
    void a_conflict_is_resolved_with_the_keyboard_alone() throws Exception {
        world.send("root", "POST", "/books?wm=upsert", "{\"_id\": \"kc\", \"title\": \"old\", \"year\": 1}");
        try (var page = world.page("#/c/books?doc=\"kc\"")) {
            signInWithKeys(page);
            assertThat(page.locator(".document .cm-content")).containsText("old");
            pressUntil(page, "e", "document.activeElement?.closest('.document .editor')");
            page.keyboard().press("Control+a");
            page.keyboard().insertText("{_id: \"kc\", title: \"Hers\", year: 1}");
            world.send("bob", "PATCH", "/books/kc", "{\"title\": \"His\", \"year\": 2000}");
            page.keyboard().press("Control+s");
            assertThat(page.locator("dialog .conflict tbody tr")).hasCount(2);
            assertThat(page.getByLabel("Keep yours of title")).isFocused();
            page.keyboard().press("ArrowRight");
            assertThat(page.getByLabel("Keep theirs of title")).isChecked();
            page.keyboard().press("ArrowLeft");
            assertThat(page.getByLabel("Keep yours of title")).isChecked();
            pressUntil(page, "Tab", "document.activeElement?.name === 'take-1'");
            assertThat(page.getByLabel("Keep theirs of year")).isChecked();
            page.keyboard().press("Control+s");
            assertThat(page.locator(".toast")).containsText("Saved");
            assertThat(page.locator("dialog")).hasCount(0);
        }
        assertThat(world.stored("books", "kc"))
                .containsEntry("title", new BsonString("Hers"))
                .containsEntry("year", new BsonInt32(2000));
        world.send("root", "DELETE", "/books/kc", "");
    }
}
