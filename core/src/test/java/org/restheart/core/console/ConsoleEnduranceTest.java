package org.restheart.core.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;

/// The console with many documents, with long-lived connections, and after interruptions of the server.
class ConsoleEnduranceTest extends BrowserTest {
    private static final int MANY = 200_000;
    private static final int CLIENTS = 200;

    /// Of each client.
    private static final Duration PACE = Duration.ofMillis(200);

    /// More than a person waits: what is measured here is that a page does not read those before it.
    private static final long STEP_MS = 60_000;

    /// Keeps what the page reads of requests, with the time at which it asked.
    private static final String KEEP_SCRAPES = """
        () => {
          const fetch = window.fetch;
          window.scrapes = [];
          window.fetch = async (...asked) => {
            const at = Date.now();
            const answer = await fetch(...asked);
            const text = String(asked[0]).includes("/metrics/") ? await answer.clone().text() : "";
            if (text.includes("http_requests_count")) window.scrapes.push({ at, text });
            return answer;
          };
        }\
        """;

    /// Rate and latency within 5 % of what two readings of the registry say. The latency of all requests is between
    /// those of the kinds of requests that there were.
    private static final String TILES_TELL_WHAT_THE_REGISTRY_SAYS = """
        () => {
          const [before, now] = window.scrapes.slice(-2);
          if (!now) return false;
          const samples = (text, name, fits) => new Map([...text.matchAll(new RegExp(`^${name}\\\\{(.*)\\\\} (\\\\S+)$`, "gm"))]
            .filter(found => found[1].includes(fits)).map(found => [found[1], Number(found[2])]));
          const sum = text => [...samples(text, "http_requests_count", "").values()].reduce((n, value) => n + value, 0);
          const rate = (sum(now.text) - sum(before.text)) / (now.at - before.at) * 1000;
          const counts = samples(before.text, "http_requests_duration_count", "");
          const grown = [...samples(now.text, "http_requests_duration_count", "")].filter(([labels, n]) => n > (counts.get(labels) || 0));
          const quantiles = samples(now.text, "http_requests_duration", 'quantile="0.99"');
          const p99s = grown.map(([labels]) => labels.match(/[a-z_]+="[^"]*"/g))
            .map(labels => [...quantiles].find(([all]) => labels.every(label => all.includes(label)))?.[1] * 1000);
          const tile = name => parseFloat([...document.querySelectorAll(".tiles dt")].find(one => one.textContent === name)
            .nextElementSibling.textContent.replaceAll(",", ""));
          const between = (n, least, most) => n >= least * 0.95 && n <= most * 1.05;
          return between(tile("Requests per second"), rate, rate)
            && between(tile("p99 latency"), Math.min(...p99s), Math.max(...p99s));
        }\
        """;

    ConsoleEnduranceTest(TestMongo mongo) {
        super(mongo);
    }

    @BeforeAll
    void create() throws Exception {
        world.send("root", "PUT", "/", "{}");
        world.send("root", "PUT", "/drafts", "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}");
        world.send("root", "PUT", "/books", "{}");
    }

    @Test
    void a_far_page_is_reached_without_counting() {
        world.collection("seed").insertOne(BsonDocument.parse("{_id: 0}"));
        world.collection("seed")
                .aggregate(List.of(
                        BsonDocument.parse("{$project: {a: {$range: [0, 1000]}}}"),
                        BsonDocument.parse("{$unwind: '$a'}"),
                        BsonDocument.parse("{$project: {_id: 0, a: 1, b: {$range: [0, 200]}}}"),
                        BsonDocument.parse("{$unwind: '$b'}"),
                        BsonDocument.parse("{$project: {_id: {$add: ['$b', {$multiply: ['$a', 200]}]}}}"),
                        BsonDocument.parse("{$out: 'many'}")))
                .toCollection();
        assertThat(world.collection("many").estimatedDocumentCount()).isEqualTo(MANY);
        var asked = new CopyOnWriteArrayList<String>();
        try (var page = world.open("root", "#/c/many?size=50")) {
            page.onRequest(request -> asked.add(request.url()));
            assertThat(page.locator(".pager")).containsText("of about 200,000");
            page.getByLabel("Go to page").fill("4000");
            page.getByLabel("Go to page").press("Enter");
            expectPage(page, "199,951–200,000", "49");
            button(page, "Previous").click();
            expectPage(page, "199,901–199,950", "99");
            button(page, "First").click();
            expectPage(page, "1–50", "199999");
        }
        assertThat(asked).noneMatch(url -> url.contains("/_size") || url.matches(".*[?&]count(=true)?(&.*)?"));
        world.collection("many").drop();
    }

    private static void expectPage(Page page, String range, String first) {
        var options = new LocatorAssertions.ContainsTextOptions().setTimeout(STEP_MS);
        assertThat(page.locator(".pager")).containsText(range, options);
        assertThat(page.locator("table.grid tbody tr").first()).containsText(first, options);
    }

    @Test
    void live_changes_arrive_once_and_in_order_whatever_restarts() throws Exception {
        try (var page = world.open("ada", "#/c/drafts?tab=live")) {
            listen(page);
            insert(0, 100);
            assertThat(page.locator(".event")).hasCount(100);
            expectEvents(page, 100);
            world.restart();
            insert(100, 110);
            assertThat(page.locator(".event")).hasCount(110);
            expectEvents(page, 110);
        }
    }

    @Test
    void the_first_change_is_shown_though_the_gateway_was_away_when_it_happened() {
        try (var page = world.open("ada", "#/c/drafts?tab=live")) {
            listen(page);
            world.restart(() -> world.insert("drafts", "{_id: 'alone'}"));
            assertThat(page.locator(".event")).hasCount(1);
            assertThat(page.locator(".event")).containsText("alone");
        }
    }

    /// Exactly: a page that does not listen yet says "Not listening".
    private static void listen(Page page) {
        button(page, "Start").click();
        assertThat(page.getByText("Listening", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
    }

    private void insert(int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            assertStatus(201, world.send("bob", "POST", "/drafts", "{\"_id\": \"e" + i + "\"}"));
        }
    }

    private static void expectEvents(Page page, int count) {
        assertThat(page.locator(".event code:nth-of-type(1)").allInnerTexts())
                .containsExactlyElementsOf(IntStream.iterate(count - 1, i -> i >= 0, i -> i - 1)
                        .mapToObj(i -> "\"e" + i + "\"")
                        .toList());
    }

    @Test
    void the_coalescing_factor_follows_the_clients() throws Exception {
        var busy = new AtomicBoolean(true);
        var alone = new AtomicBoolean();
        var threads = new ArrayList<Thread>();
        try (var page = world.open("root", "#/metrics")) {
            page.evaluate(KEEP_SCRAPES);
            for (int n = 0; n < CLIENTS; n++) {
                int number = n;
                threads.add(Thread.ofVirtual().start(() -> {
                    while (busy.get() && (number == 0 || !alone.get())) {
                        world.client("ada").post("/books", "{\"client\": " + number + "}");
                        // all at once, five times a second
                        LockSupport.parkNanos(PACE.minusMillis(System.currentTimeMillis() % PACE.toMillis())
                                .toNanos());
                    }
                }));
            }
            page.waitForFunction("() => parseFloat(document.querySelector('.tiles .main dd')?.textContent) > 2");
            page.waitForFunction(TILES_TELL_WHAT_THE_REGISTRY_SAYS);
            alone.set(true);
            page.waitForFunction("() => parseFloat(document.querySelector('.tiles .main dd')?.textContent) <= 1.1");
            assertThat(page.locator(".tiles")).containsText("Requests per second");
        } finally {
            busy.set(false);
            for (var thread : threads) {
                thread.join();
            }
        }
    }

    @Test
    void unsaved_changes_survive_the_end_of_a_session() throws Exception {
        world.send("root", "POST", "/books", "{\"_id\": \"long\", \"title\": \"old\"}");
        try (var page = world.open("ada", "#/c/books?doc=\"long\"")) {
            ConsoleWorld.write(page, "Document", "{_id: \"long\", title: \"written for hours\"}");
            var expired = new AtomicInteger();
            page.route(url -> url.contains("/books/long"), route -> {
                // what the gateway answers to a token that has expired; it takes a minute at least
                if (route.request().method().equals("PUT") && expired.getAndIncrement() == 0) {
                    route.fulfill(new Route.FulfillOptions().setStatus(401).setBody(""));
                } else {
                    route.resume();
                }
            });
            button(page, "Save").click();
            assertThat(page.locator("dialog")).containsText("nothing on this page is lost");
            page.fill("dialog input[name=password]", "secret");
            button(page, "Sign in").click();
            assertThat(page.locator(".toast")).containsText("Saved");
        }
        assertThat(world.stored("books", "long")).containsEntry("title", new BsonString("written for hours"));
    }

    @Test
    void a_server_that_was_away_needs_no_reload() throws Exception {
        world.send("root", "POST", "/books", "{\"_id\": \"away\", \"n\": 7}");
        try (var page = world.open("ada", "#/")) {
            assertThat(page.locator("main table")).containsText("books");
            page.context().setOffline(true);
            page.evaluate("() => { location.hash = '#/c/books?doc=\"away\"'; }");
            assertThat(page.locator(".banner.bad")).containsText("The gateway cannot be reached");
            page.context().setOffline(false);
            assertThat(page.locator(".document .cm-content")).containsText("away");
            assertThat(page.locator(".banner.bad")).hasCount(0);
            var answers = new AtomicInteger();
            page.route(url -> url.contains("/drafts?"), route -> {
                // as the gateway answers while MongoDB is away
                if (answers.getAndIncrement() == 0) {
                    route.fulfill(new Route.FulfillOptions().setStatus(503).setHeaders(Map.of("Retry-After", "2")));
                } else {
                    route.resume();
                }
            });
            page.evaluate("() => { location.hash = '#/c/drafts'; }");
            assertThat(page.locator(".banner.warn")).containsText("Trying again in");
            assertThat(page.locator("main h1")).hasText("drafts");
            assertThat(page.locator(".banner.warn")).hasCount(0);
        }
        assertThat(world.stored("books", "away")).containsEntry("n", new BsonInt32(7));
    }

    @Test
    void a_session_outlasts_a_reload_only_where_that_was_asked_for() {
        try (var page = world.page("#/c/books")) {
            world.signIn(page, "ada", "secret");
            assertThat(page.locator("main h1")).hasText("books");
            page.reload();
            assertThat(page.locator("input[name=stay]")).not().isChecked();
            page.getByLabel("Stay signed in for 15 minutes").check();
            world.signIn(page, "ada", "secret");
            assertThat(page.locator("main h1")).hasText("books");
            // the page is shown before the gateway has answered with the cookie
            await().until(() -> !page.context().cookies().isEmpty());
            var cookie = page.context().cookies().getFirst();
            assertThat(cookie.name).isEqualTo("rh_auth");
            assertThat(cookie.httpOnly).isTrue();
            assertThat(page.evaluate("() => JSON.stringify([localStorage, sessionStorage, document.cookie])"))
                    .asString()
                    .doesNotContain(cookie.value);
            page.reload();
            assertThat(page.locator("main h1")).hasText("books");
            button(page, "ada").click();
            page.getByRole(AriaRole.MENUITEM, new Page.GetByRoleOptions().setName("Sign out"))
                    .click();
            assertThat(page.locator("input[name=stay]")).not().isChecked();
            assertThat(page.context().cookies()).isEmpty();
            page.reload();
            assertThat(page.locator("input[name=username]")).isVisible();
        }
    }
}
