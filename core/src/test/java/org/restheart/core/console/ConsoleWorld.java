package org.restheart.core.console;

import static org.assertj.core.api.Assertions.assertThat;

import at.favre.lib.crypto.bcrypt.BCrypt;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.Document;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.embedded.FreePort;
import org.restheart.testkit.Chromium;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;

/// A gateway with accounts and books, and a browser without a screen. Whatever the browser complains of is remembered.
final class ConsoleWorld implements AutoCloseable {
    /// Of whoever waits: what does not come within it does not come.
    private static final double TIMEOUT_MS = 90_000;

    private final MongoDatabase database;
    private final String config;
    private final Playwright playwright;
    private final Browser browser;
    private final List<String> complaints = new CopyOnWriteArrayList<>();

    /// Contexts whose page is closed.
    private final Map<Window, BrowserContext> idle = new HashMap<>();

    /// Kept by a gateway that is started anew: no client is given it meanwhile.
    private final int port;

    private Gateway gateway;

    /// @param width in CSS pixels
    private record Window(int width, ColorScheme scheme) {}

    private ConsoleWorld(MongoDatabase database, String config, Playwright playwright, Browser browser, int port) {
        this.database = database;
        this.config = config;
        this.playwright = playwright;
        this.browser = browser;
        this.port = port;
        this.gateway = start();
    }

    static ConsoleWorld open(TestMongo mongo) {
        var chromium = Chromium.executable();
        var database = mongo.client().getDatabase(mongo.newDatabaseName());
        var hash = BCrypt.withDefaults().hashToString(4, "secret".toCharArray());
        var users = new ArrayList<Document>();
        Map.of("root", "admin", "ada", "editor", "bob", "editor", "reader", "reader")
                .forEach((name, role) -> users.add(
                        new Document("_id", name).append("password", hash).append("roles", List.of(role))));
        database.getCollection("users").insertMany(users);
        database.getCollection("acl", BsonDocument.class)
                .insertMany(List.of(
                        BsonDocument.parse("{roles: ['editor'], priority: 1, predicate: \"path-prefix('/books') or"
                                + " path-prefix('/drafts') or (path('/') and method(GET))\", mongo:"
                                + " {allowManagementRequests: true, allowBulkPatch: true, allowBulkDelete: true}}"),
                        BsonDocument.parse(
                                "{_id: 'readers', roles: ['reader'], priority: 1, predicate: \"path-prefix('/books')"
                                        + " and method(GET)\"}")));
        var config = """
            http-listener: {host: 127.0.0.1, port: $port}
            mclient: {connection-string: "$uri"}
            mongo: {mongo-mounts: [{what: /$db, where: /}]}
            basicAuthMechanism: {enabled: true}
            apiKeyAuthMechanism: {enabled: true}
            apiKeyRealm: {keys-db: $db, keys-collection: apikeys}
            mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-complexity: 4, create-user: false}
            mongoAclAuthorizer: {acl-db: $db, acl-collection: acl, root-role: admin}
            jwtConfigProvider: {key: "the sessions of a test outlive a restart"}
            jwtAuthenticationMechanism: {enabled: true}
            jwtTokenManager: {enabled: true}
            authTokenService: {enabled: true, uri: /token}
            requestsMetricsCollector: {enabled: true, include: ['/*']}
            graphql: {db: $db, collection: gql-apps}
            graphiql: {enabled: true}
            """.replace("$uri", mongo.connectionString()).replace("$db", database.getName());
        var playwright = playwright();
        return new ConsoleWorld(database, config, playwright, browser(playwright, chromium), FreePort.find());
    }

    static Playwright playwright() {
        return Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    }

    /// Without a screen.
    static Browser browser(Playwright playwright, Path chromium) {
        return playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(chromium)
                        .setTimeout(TIMEOUT_MS)
                        .setArgs(List.of("--no-sandbox", "--disable-gpu")));
    }

    private Gateway start() {
        return Gateway.start(GatewayConfig.parse(config.replace("$port", Integer.toString(port))));
    }

    /// Ends the gateway, and starts another at the same address.
    void restart() {
        restart(() -> {});
    }

    /// @param meanwhile happens while there is none
    void restart(Runnable meanwhile) {
        gateway.close();
        meanwhile.run();
        gateway = start();
    }

    MongoCollection<BsonDocument> collection(String name) {
        return database.getCollection(name, BsonDocument.class);
    }

    void insert(String collection, String... documents) {
        for (var document : documents) {
            collection(collection).insertOne(BsonDocument.parse(document));
        }
    }

    BsonDocument stored(String collection, String id) {
        var found = collection(collection)
                .find(BsonDocument.parse("{_id: '" + id + "'}"))
                .first();
        assertThat(found).as(id).isNotNull();
        return found;
    }

    String address() {
        return "http://127.0.0.1:" + gateway.address().getPort();
    }

    TestClient client(String account) {
        return TestClient.of(gateway.address()).as(account, "secret");
    }

    HttpResponse<String> send(String account, String method, String path, String body) {
        return client(account).json(method, path, body);
    }

    /// A page of its own context, at the sign-in.
    Page page(String place) {
        return page(place, 1280, ColorScheme.LIGHT);
    }

    /// The same in a window of this width in CSS pixels.
    Page page(String place, int width, ColorScheme scheme) {
        return pageAt("/_console/" + place, width, scheme);
    }

    /// A page at any path of the gateway, without motion, which takes much without a graphics processor. It has nothing
    /// of a page that is closed but the scripts, compiled: that is most of what a page takes.
    Page pageAt(String path, int width, ColorScheme scheme) {
        var window = new Window(width, scheme);
        var known = Optional.ofNullable(idle.remove(window));
        var context = known.orElseGet(() -> browser.newContext(new Browser.NewContextOptions()
                .setViewportSize(width, 800)
                .setColorScheme(scheme)
                .setReducedMotion(ReducedMotion.REDUCE)));
        var page = context.newPage();
        page.setDefaultTimeout(TIMEOUT_MS);
        if (known.isPresent()) {
            context.clearCookies();
            context.clearPermissions();
            page.navigate(address() + "/ping");
            page.evaluate("localStorage.clear()");
        }
        page.onClose(_ -> idle.put(window, context));
        page.onConsoleMessage(message -> {
            // the browser reports every refusal (4xx) of a request as an error; the page shows those itself
            if (message.type().equals("error") && !message.text().startsWith("Failed to load resource")) {
                complaints.add(message.text());
            }
        });
        page.onPageError(complaints::add);
        page.onRequest(request -> {
            if (!request.url().startsWith(address())
                    && !request.url().startsWith("blob:")
                    && !request.url().startsWith("data:")) {
                complaints.add("a request to " + request.url());
            }
        });
        page.navigate(address() + path);
        return page;
    }

    void signIn(Page page, String account, String password) {
        page.fill("input[name=username]", account);
        page.fill("input[name=password]", password);
        page.click("button[type=submit]");
    }

    /// A page of somebody who is signed in.
    Page open(String account, String place) {
        var page = page(place);
        signIn(page, account, "secret");
        page.waitForSelector(".frame");
        return page;
    }

    /// Writes into one of the page's editors as a person does.
    static void write(Page page, String label, String text) {
        page.locator(".cm-content[aria-label='" + label + "']").click();
        page.keyboard().press("Control+a");
        page.keyboard().insertText(text);
    }

    /// What a line prints in a shell with one more variable in its environment.
    static String shell(String line, String variable, String value) throws Exception {
        var process = new ProcessBuilder("bash", "-c", line).redirectErrorStream(true);
        process.environment().put(variable, value);
        var running = process.start();
        var printed = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(running.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return printed;
    }

    /// Fails if the browser has complained of anything since the beginning.
    void expectNoComplaints() {
        assertThat(complaints).isEmpty();
    }

    @Override
    public void close() {
        browser.close();
        playwright.close();
        gateway.close();
    }
}
