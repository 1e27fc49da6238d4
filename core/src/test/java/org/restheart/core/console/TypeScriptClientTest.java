package org.restheart.core.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.sun.net.httpserver.SimpleFileServer;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.transfer.Transfer;
import org.restheart.testkit.Chromium;
import org.restheart.testkit.Shell;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// clients/typescript, compiled and tested with Node.js, and examples/shop, which uses it, in a real browser.
@WithMongo
class TypeScriptClientTest {
    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
    private static final Path CLIENT = PROJECT.resolve("clients/typescript");

    @AutoClose
    private final Gateway gateway;

    private final String url;

    TypeScriptClientTest(TestMongo mongo) throws Exception {
        assumeTrue(
                Shell.run(Path.of("."), "command -v npm node || true").lines().count() == 2,
                "the client is compiled with npm and Node.js, which are not on the PATH");
        gateway = Gateway.start(GatewayConfig.parse(
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
                """.replace("$uri", mongo.connectionString()).replace("$db", mongo.newDatabaseName())));
        url = "http://127.0.0.1:" + gateway.address().getPort();
    }

    @Test
    void its_tests_pass() throws Exception {
        Assertions.assertThat(Shell.run(CLIENT, "./check " + url + " secret"))
                .containsPattern("(tests|pass) 1[0-9]\\b")
                .containsPattern("fail 0\\b");
    }

    /// On another origin than the gateway.
    @Test
    void customers_buy_what_there_is_and_see_their_own_orders() throws Exception {
        var chromium = Chromium.executable();
        PlaywrightAssertions.setDefaultAssertionTimeout(60_000);
        Shell.run(CLIENT, "./check --compile");
        var pages = SimpleFileServer.createFileServer(
                new InetSocketAddress("127.0.0.1", 0), PROJECT, SimpleFileServer.OutputLevel.NONE);
        pages.start();
        try (var playwright = ConsoleWorld.playwright();
                var browser = ConsoleWorld.browser(playwright, chromium)) {
            var commands = new Transfer(
                    Map.of("RESTHEART_USER", "admin:secret", "MERCHANT_PASSWORD", "tall-Oaks.Whisper8"),
                    System.out,
                    System.err);
            var example = PROJECT.resolve("examples/shop");
            Assertions.assertThat(commands.run(
                            "apply", "--url", url, example.resolve("gateway").toString()))
                    .isZero();
            Assertions.assertThat(commands.run(
                            "import",
                            url + "/products",
                            example.resolve("products.ndjson").toString()))
                    .isZero();
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
