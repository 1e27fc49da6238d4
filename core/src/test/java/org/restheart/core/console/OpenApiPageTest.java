package org.restheart.core.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.options.ColorScheme;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;

/// The page that shows the OpenAPI document, in a real browser.
class OpenApiPageTest extends BrowserTest {
    OpenApiPageTest(TestMongo mongo) {
        super(mongo);
    }

    @BeforeAll
    void create() throws Exception {
        world.send("root", "PUT", "/", "{}");
        world.send("root", "PUT", "/books", "{\"descr\": \"<img src=x onerror=window.__pwned=1> **books**\"}");
        world.send("root", "POST", "/books", "[{\"_id\": \"b1\", \"title\": \"One\"}]");
        world.send("root", "PUT", "/secrets", "{}");
    }

    @Test
    void an_account_sees_what_it_may_do_and_does_it() {
        var address = "/_openapi-ui/?url=https://elsewhere.example/openapi.json";
        try (var page = world.pageAt(address, 1280, ColorScheme.LIGHT)) {
            world.signIn(page, "reader", "wrong");
            assertThat(page.locator("#failure")).containsText("do not match");
            world.signIn(page, "reader", "secret");
            assertThat(page.locator(".opblock-tag")).hasCount(2); // books and services
            page.locator(".opblock-tag[data-tag='/books']").click();
            assertThat(page.locator(".opblock[id$=listBooks]")).isVisible();
            assertThat(page.locator(".swagger-ui")).not().containsText("secrets");
            assertThat(page.locator(".swagger-ui")).not().containsText("Warning");
            page.locator(".opblock[id$=getBooksById] button.opblock-summary-control")
                    .click();
            page.locator(".try-out__btn").click();
            page.locator("tr[data-param-name=id] input").fill("b1");
            page.locator("button.execute").click();
            assertThat(page.locator(".live-responses-table tbody .response-col_status")
                            .first())
                    .containsText("200");
            assertThat(page.locator(".live-responses-table")).containsText("One");
            assertThat(page.evaluate("() => window.__pwned")).isNull();
            assertThat(page.evaluate("() => JSON.stringify(localStorage) + JSON.stringify(sessionStorage)"))
                    .isEqualTo("{}{}");
        }
    }
}
