package org.restheart.core.streams;

import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.Chromium;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The tutorial's page in a real browser without a screen.
@WithMongo
class TutorialPageTest {
    private static final Path PAGE = Path.of("../docs/live.html");

    /// Fills in the form, and reports what the page shows whenever that changes.
    private static final String HAND = """
            <script>
              form.gateway.value = '%s';
              form.stream.value = '%s';
              form.password.value = '%s';
              form.transport.value = '%s';
              new MutationObserver(() => fetch('/report', {method: 'POST', body: document.body.innerText}))
                .observe(document.body, {childList: true, subtree: true, characterData: true});
              form.requestSubmit();
            </script></html>""";

    private static final String SECURITY = StreamsGateway.SECURITY + """
            jwtAuthenticationMechanism: {enabled: true}
            jwtTokenManager: {enabled: true}
            authTokenService: {enabled: true, uri: /token}
            authCookieSetter: {enabled: true}
            authCookieHandler: {enabled: true}
            cors: {allowed-origins: ["http://localhost:*"]}
            """;

    @AutoClose
    private final StreamsGateway gateway;

    private volatile String shown = "";

    @TempDir
    Path folder;

    TutorialPageTest(TestMongo mongo) {
        gateway = StreamsGateway.startSecured(mongo, "", SECURITY);
    }

    @BeforeEach
    void define() throws Exception {
        gateway.addUser("admin", "admin");
        gateway.send(
                "PUT",
                "/t",
                "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}",
                "Authorization",
                StreamsGateway.basic("admin"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"EventSource", "WebSocket"})
    void a_browser_shows_changes_as_they_happen(String transport) throws Exception {
        try (var _ = open(transport, "/t/_streams/all", "admin-pw")) {
            await().until(() -> shown.contains("listening"));
            gateway.insert("t", "{_id: 1, Title: 'Stalker'}");
            await().until(() -> shown.contains("insert {\"_id\":1,\"Title\":\"Stalker\"}"));
            gateway.collection("t").deleteMany(new BsonDocument());
            await().until(() -> shown.contains("delete {\"_id\":1}"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "EventSource, /t/_streams/all, wrong, 401: the name or the password is wrong",
        "WebSocket, /t/_streams/nope, admin-pw, 404: there is no such stream",
        "EventSource, /gone, admin-pw, 410: the changes since then", // a fresh replica set has lost nothing yet
    })
    void the_page_says_why_it_is_refused(String transport, String stream, String password, String reason)
            throws Exception {
        try (var _ = open(transport, stream, password)) {
            await().until(() -> shown.contains(reason));
        }
    }

    private AutoCloseable open(String transport, String stream, String password) throws IOException {
        var chromium = Chromium.executable();
        var pages = serve(transport, stream, password);
        var browser = start(chromium, "http://localhost:" + pages.getAddress().getPort() + "/");
        return () -> {
            browser.descendants().forEach(ProcessHandle::destroyForcibly);
            browser.destroyForcibly().waitFor();
            pages.stop(0);
        };
    }

    private HttpServer serve(String transport, String stream, String password) throws IOException {
        var page = Files.readString(PAGE)
                .replace(
                        "</html>",
                        HAND.formatted(
                                stream.equals("/gone")
                                        ? "' + location.origin + '"
                                        : gateway.uri("http", "").toString().replace("127.0.0.1", "localhost"),
                                stream,
                                password,
                                transport));
        var server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
            answer(exchange, page);
        });
        server.createContext("/token/cookie", exchange -> answer(exchange, ""));
        server.createContext("/gone", exchange -> {
            exchange.sendResponseHeaders(410, -1);
            exchange.close();
        });
        server.createContext("/report", exchange -> {
            shown = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            answer(exchange, "");
        });
        server.start();
        return server;
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private Process start(Path chromium, String url) throws IOException {
        return new ProcessBuilder(
                        chromium.toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-quic",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--user-data-dir=" + Files.createDirectory(folder.resolve("profile")),
                        "--remote-debugging-port=0",
                        url)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("chromium.log").toFile())
                .start();
    }
}
