package org.restheart.core.console;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.PlaywrightException;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.TestInstance;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// A test of the console in a real browser: one gateway and one browser for the whole class.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BrowserTest {
    @AutoClose
    final ConsoleWorld world;

    BrowserTest(TestMongo mongo) {
        PlaywrightAssertions.setDefaultAssertionTimeout(60_000);
        world = ConsoleWorld.open(mongo);
    }

    @AfterEach
    void nothing_was_refused_by_the_browser() {
        world.expectNoComplaints();
    }

    static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    /// Requests that are answered when the test says so.
    static List<Route> hold(Page page, Predicate<String> url) {
        var held = new ArrayList<Route>();
        page.route(url, held::add);
        return held;
    }

    static void release(Page page, List<Route> held) {
        for (var route : held) {
            try {
                route.resume();
            } catch (PlaywrightException e) {
                continue; // the page has given the request up
            }
        }
        page.unrouteAll();
    }

    static void waitFor(Page page, List<Route> held) {
        page.waitForCondition(() -> !held.isEmpty());
    }
}
