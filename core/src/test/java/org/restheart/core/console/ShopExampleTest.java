package org.restheart.core.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.sun.net.httpserver.SimpleFileServer;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.testkit.Chromium;
import org.restheart.testkit.Shell;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// examples/shop in a real browser, on another origin than the gateway.
@WithMongo
class ShopExampleTest {
    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();

    @Test
    void customers_buy_what_there_is_and_see_their_own_orders(TestMongo mongo) throws Exception {
        assumeTrue(
                Shell.run(Path.of("."), "command -v npm node || true").lines().count() == 2,
                "the client of the shop is compiled with npm and Node.js, which are not on the PATH");
        var chromium = Chromium.executable();
        PlaywrightAssertions.setDefaultAssertionTimeout(60_000);
        Shell.run(PROJECT.resolve("clients/typescript"), "./check --compile");
        var config = GatewayConfig.parse(
                """
                http-listener: {host: 127.0.0.1, port: 0}
                mclient: {connection-string: "$uri"}
                mongo: {mongo-mounts: [{what: /$db, where: /}]}
                basicAuthMechanism: {enabled: true}
                mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-complexity: 4}
                mongoAclAuthorizer: {acl-db: $db, acl-collection: acl, root-role: admin}
                jwtConfigProvider: {key: "a key of the test, long enough for HS256"}
                jwtAuthenticationMechanism: {enabled: true}
                jwtTokenManager: {enabled: true}
                authTokenService: {enabled: true, uri: /token}
                """.replace("$uri", mongo.connectionString()).replace("$db", mongo.databaseName()));
        var pages = SimpleFileServer.createFileServer(
                new InetSocketAddress("127.0.0.1", 0), PROJECT, SimpleFileServer.OutputLevel.NONE);
        pages.start();
        try (var gateway = Gateway.start(config);
                var playwright = Playwright.create(
                        new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
                var browser = playwright
                        .chromium()
                        .launch(new BrowserType.LaunchOptions()
                                .setExecutablePath(chromium)
                                .setTimeout(90_000)
                                .setArgs(List.of("--no-sandbox", "--disable-gpu")))) {
            var url = "http://127.0.0.1:" + gateway.address().getPort();
            Shell.run(PROJECT.resolve("examples/shop"), "./setup " + url + " secret");
            var shop = "http://127.0.0.1:" + pages.getAddress().getPort() + "/examples/shop/index.html?gateway=" + url;

            var ada = browser.newContext().newPage();
            ada.navigate(shop);
            assertThat(ada.locator("#products li")).hasCount(3);
            ada.fill("#search", "LAMP");
            assertThat(ada.locator("#products li")).hasCount(1);
            enter(ada, "ada", "mild-Fern.Orbits3", "Sign up");
            assertThat(ada.locator("#who")).containsText("ada");
            buy(ada);
            assertThat(ada.locator("#orders li")).hasCount(1);
            assertThat(ada.locator("#products li")).containsText("1 left");
            buy(ada);
            assertThat(ada.locator("#orders li")).hasCount(2);
            assertThat(ada.locator("#products li")).containsText("0 left");
            buy(ada);
            assertThat(ada.locator("#message")).hasText("sold out");

            var bob = browser.newContext().newPage();
            bob.navigate(shop);
            enter(bob, "bob", "calm-Reed.Drifts5", "Sign up");
            assertThat(bob.locator("#products li").nth(1).locator("button")).isVisible();
            bob.locator("#products li").nth(1).locator("button").click();
            assertThat(bob.locator("#orders li")).hasCount(1);
            ada.reload(); // the log-in stays
            assertThat(ada.locator("#orders li")).hasCount(2);

            var merchant = browser.newContext().newPage();
            merchant.navigate(shop);
            enter(merchant, "merchant", "tall-Oaks.Whisper8", "Log in");
            assertThat(merchant.locator("#sales li")).containsText("3 orders, 48");
            merchant.fill("input[name=product]", "mug");
            merchant.setInputFiles("input[name=file]", PROJECT.resolve("docs/how-to/console/live.png"));
            merchant.click("#upload button");
            assertThat(merchant.locator("#products img"))
                    .hasAttribute("src", Pattern.compile(url + "/pictures.files/.*"));
            merchant.waitForFunction("document.querySelector('#products img').naturalWidth > 0");
        } finally {
            pages.stop(0);
        }
    }

    private static void enter(Page page, String name, String password, String button) {
        page.fill("input[name=user]", name);
        page.fill("input[name=password]", password);
        page.click("text=" + button);
    }

    private static void buy(Page page) {
        page.click("#products li button");
    }
}
