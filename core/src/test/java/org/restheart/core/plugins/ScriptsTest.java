package org.restheart.core.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.File;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bson.Document;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.core.Gateway;
import org.restheart.core.security.LogLines;
import org.restheart.core.server.StartException;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The plugin `scripts`, as a folder of jars: its own and those of the engine.
@WithMongo
class ScriptsTest {
    private static final Pattern FILE = Pattern.compile("```(?:json|js)\n(?:// (\\S+)\n)?(.*?)```", Pattern.DOTALL);

    private final TestMongo mongo;
    private final PluginFolder plugins;
    private final Path scripts;
    private final String orders;

    ScriptsTest(TestMongo mongo, @TempDir Path directory) {
        this.mongo = mongo;
        this.plugins = new PluginFolder(directory.resolve("plugins"));
        this.scripts = directory.resolve("scripts/mine");
        this.orders = "/" + mongo.databaseName() + "/orders";
    }

    @BeforeEach
    void install() throws IOException {
        // a JVM loads a native library for one class loader only, and each gateway here has another
        System.setProperty("polyglotimpl.AttachLibraryFailureAction", "ignore");
        var sources = Path.of("../scripts/src/main");
        var jar = plugins.project("scripts/scripts.jar", sources.resolve("java"), sources.resolve("resources"));
        for (var library : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (library.contains("/org/graalvm/")) {
                var file = Path.of(library);
                Files.createSymbolicLink(jar.resolveSibling(file.getFileName()), file.toAbsolutePath());
            }
        }
        Files.createDirectories(scripts);
        mongo.database().getCollection("orders").drop();
        mongo.database().createCollection("orders");
    }

    /// Of the libraries, which JUnit would warn of.
    @AfterEach
    void removeLinks() throws IOException {
        try (var jars = Files.list(plugins.path().resolve("scripts"))) {
            for (var jar : jars.filter(Files::isSymbolicLink).toList()) {
                Files.delete(jar);
            }
        }
    }

    private void deploy(Map<String, String> files) throws IOException {
        for (var file : files.entrySet()) {
            Files.createDirectories(scripts.resolve(file.getKey()).getParent());
            Files.writeString(scripts.resolve(file.getKey()), file.getValue());
        }
    }

    private void service(String body) throws IOException {
        deploy(Map.of("package.json", "{\"rh:services\": [\"hi.mjs\"]}", "hi.mjs", """
            export const options = {name: "hi", description: "greets", uri: "/hi", secured: false};
            export function handle(req, res) {
              %s
            }
            """.formatted(body)));
    }

    private void interceptor(String body) throws IOException {
        deploy(Map.of("package.json", "{\"rh:interceptors\": [\"tag.mjs\"]}", "tag.mjs", """
            export const options = {name: "tag", description: "x", interceptPoint: "REQUEST_AFTER_AUTH",
                                    pluginClass: "MongoInterceptor"};
            export const resolve = (req) => req.isHandledBy("mongo") && req.getCollectionName() === "orders" && req.isPost();
            export function handle(req, res) {
              %s
            }
            """.formatted(body)));
    }

    /// A busy machine takes longer for a first call than scripts usually may.
    private Gateway start(String more) {
        var patience = more.contains("time-limit-ms") ? "" : ", time-limit-ms: 60000";
        return plugins.start(mongo, "scripts: {directory: '%s'%s%s}".formatted(scripts.getParent(), patience, more));
    }

    private static TestClient client(Gateway gateway) {
        return TestClient.of(gateway.address());
    }

    private static TestClient admin(Gateway gateway) {
        return client(gateway).as("admin", "secret");
    }

    @Test
    void a_service_answers() throws IOException {
        service("""
            const name = req.getQueryParameterOrDefault("who", "you");
            const {ok} = mclient.getDatabase("admin").runCommand({ping: 1});
            LOGGER.info("greets {} of {}", name, {a: 1});
            res.setContent({hi: name, ok, said: req.getContent(), get: req.isGet(), from: req.getHeader("x-from"),
                            greeting: pluginArgs.greeting, libs: [x, require("m").y]});
            res.setContentTypeAsJson();
            res.setStatusCode(202);
            res.getHeaders().add("X-Script", "yes");
            } import {x} from "./lib/x.mjs"; {
            """);
        deploy(Map.of(
                "lib/x.mjs",
                "export const x = 5;",
                "node_modules/m/package.json",
                "{\"main\": \"index.js\"}",
                "node_modules/m/index.js",
                "module.exports = {y: 6};"));
        try (var lines = new LogLines();
                var gateway = start(", args: '{\"hi\": {\"greeting\": \"Ciao\"}}'")) {
            var answer = client(gateway).with("X-From", "here").post("/hi?who=Ann", "{\"n\": 1}");
            assertStatus(202, answer);
            assertThat(Document.parse(answer.body()))
                    .containsEntry("hi", "Ann")
                    .containsEntry("ok", 1)
                    .containsEntry("said", "{\"n\": 1}")
                    .containsEntry("get", false)
                    .containsEntry("from", "here")
                    .containsEntry("greeting", "Ciao")
                    .containsEntry("libs", List.of(5, 6));
            assertThat(answer.headers().firstValue("X-Script")).contains("yes");
            assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("application/json");
            assertThat(lines.all()).anyMatch(line -> line.endsWith("hi.mjs: greets Ann of {\"a\":1}"));
            assertStatus(413, client(gateway).post("/hi", "x".repeat((1 << 20) + 1)));
        }
    }

    @Test
    void a_service_is_secured_unless_it_says_otherwise() throws IOException {
        service("res.setInError(418, 'no');");
        var file = scripts.resolve("hi.mjs");
        Files.writeString(file, Files.readString(file).replace(", secured: false", ""));
        try (var gateway = start("")) {
            assertStatus(401, client(gateway).get("/hi"));
            assertStatus(403, client(gateway).as("ann", "secret").get("/hi"));
            var answer = admin(gateway).get("/hi");
            assertStatus(418, answer);
            assertThat(answer.body()).contains("no");
        }
    }

    @Test
    void an_interceptor_refuses_and_changes_what_is_written_and_keeps_the_types_of_the_rest() throws IOException {
        interceptor("""
            const order = req.getContent();
            if (order.total < 0) res.setInError(422, "a total is not negative");
            order.taxed = order.total * 2;
            order.copy = order.least;
            if (order.list) order.list.push(3);
            """);
        try (var gateway = start("")) {
            var admin = admin(gateway);
            var refused = admin.post(orders, "{\"_id\": 1, \"total\": -1}");
            assertStatus(422, refused);
            assertThat(refused.body()).contains("a total is not negative");
            assertStatus(201, admin.post(orders, """
                {"_id": {"$oid": "5f5e100000000000000000aa"}, "total": 2, "d": 1.0, "l": {"$numberLong": "9007199254740993"},
                 "least": {"$numberLong": "-9223372036854775808"}, "list": [1.0, {"$numberLong": "2"}]}
                """));
            assertStatus(201, admin.put(orders + "/other?wm=upsert", "{\"total\": -1}"));
            var stored = mongo.database().getCollection("orders");
            assertThat(stored.countDocuments()).isEqualTo(2);
            assertThat(stored.find(new Document("_id", new ObjectId("5f5e100000000000000000aa")))
                            .first())
                    .containsEntry("taxed", 4)
                    .containsEntry("d", 1.0)
                    .containsEntry("l", 9007199254740993L)
                    .containsEntry("copy", Long.MIN_VALUE)
                    .containsEntry("list", List.of(1.0, 2L, 3));
        }
    }

    @Test
    void a_failure_is_500_without_what_it_was_and_logged_with_its_line() throws IOException {
        service("""
            if (req.getQueryParameterOrDefault("bad", "")) {
              throw new Error("the secret of Ann");
            }
            """);
        try (var lines = new LogLines();
                var gateway = start("")) {
            var answer = client(gateway).get("/hi?bad=1");
            assertStatus(500, answer);
            assertThat(answer.body()).contains("a script has failed").doesNotContain("Ann", "Error", "org.");
            assertThat(lines.all().stream().filter(line -> line.contains("the secret of Ann")))
                    .containsExactly("ERROR script hi failed: hi.mjs:4: Error: the secret of Ann");
            assertStatus(200, client(gateway).get("/hi"));
        }
        interceptor("throw new TypeError('x');");
        try (var gateway = start("")) {
            assertStatus(500, admin(gateway).post(orders, "{}"));
            assertThat(mongo.database().getCollection("orders").countDocuments())
                    .isZero();
        }
    }

    @Test
    void scripts_that_run_too_long_are_ended_and_no_more_run_than_may() throws IOException {
        service("if (req.getQueryParameterOrDefault('loop', '')) for (;;);");
        try (var lines = new LogLines();
                var gateway = start(", threads: 1, queue: 1, time-limit-ms: 1000")) {
            var loops = IntStream.range(0, 6)
                    .mapToObj(_ -> client(gateway).sendAsync("GET", "/hi?loop=1", ""))
                    .toList();
            assertThat(loops.stream().map(CompletableFuture::join))
                    .allSatisfy(answer -> assertStatus(503, answer))
                    .extracting(HttpResponse::body)
                    .anyMatch(body -> body.contains("a script has taken too long"))
                    .anyMatch(body -> body.contains("too many scripts run"));
            assertThat(lines.all()).contains("ERROR script hi was ended after 1000 ms");
            await().untilAsserted(() -> assertStatus(200, client(gateway).get("/hi")));
            assertStatus(200, client(gateway).get("/ping"));
        }
    }

    @Test
    void one_caller_leaves_threads_to_others() throws IOException {
        mongo.database().getCollection("go").drop();
        service("""
            if (req.getQueryParameterOrDefault("slow", "")) {
              LOGGER.info("begun");
              while (mclient.getDatabase("DB").runCommand({count: "go"}).n === 0);
            }
            """.replace("DB", mongo.databaseName()));
        try (var all = new LogLines();
                var gateway = start(", threads: 2, time-limit-ms: 60000")) {
            var slow = IntStream.range(0, 8)
                    .mapToObj(_ -> client(gateway).sendAsync("GET", "/hi?slow=1", ""))
                    .toList();
            await().until(() -> all.all().stream().anyMatch(line -> line.endsWith("begun")));
            assertStatus(200, admin(gateway).get("/hi"));
            assertThat(slow).noneMatch(CompletableFuture::isDone);
            mongo.database().getCollection("go").insertOne(new Document());
            assertThat(slow).allSatisfy(answer -> assertStatus(200, answer.join()));
        }
    }

    @Test
    void a_script_that_waits_for_mongodb_is_ended_too() throws IOException {
        mongo.database().getCollection("orders").insertOne(new Document());
        service("""
            mclient.getDatabase("DB").runCommand({find: "orders", filter: {$where: "sleep(60000) || true"}});
            """.replace("DB", mongo.databaseName()));
        try (var gateway = start(", time-limit-ms: 1000")) {
            long began = System.nanoTime();
            assertStatus(503, client(gateway).get("/hi"));
            assertThat(System.nanoTime() - began)
                    .as("before MongoDB answers")
                    .isLessThan(Duration.ofSeconds(60).toNanos());
        }
    }

    @Test
    void scripts_may_be_links_as_those_of_mounted_configurations() throws IOException {
        interceptor("res.setInError(422, said); } import {said} from './said.mjs'; {");
        deploy(Map.of("said.mjs", "export const said = 'no';"));
        var mounted = Files.createDirectories(scripts.resolve("..data"));
        for (var name : List.of("package.json", "tag.mjs", "said.mjs")) {
            Files.move(scripts.resolve(name), mounted.resolve(name));
            Files.createSymbolicLink(scripts.resolve(name), Path.of("..data", name));
        }
        var link = Files.createSymbolicLink(scripts.resolveSibling("link"), scripts.resolveSibling("elsewhere"));
        Files.move(scripts, scripts.resolveSibling("elsewhere"));
        try (var gateway = plugins.start(mongo, "scripts: {directory: '%s', time-limit-ms: 60000}".formatted(link))) {
            assertStatus(422, admin(gateway).post(orders, "{}"));
        }
    }

    @Test
    void texts_are_bounded() throws IOException {
        service("res.setContent('x'.repeat(Number(req.getQueryParameterOrDefault('n', '1'))));");
        try (var gateway = start("")) {
            assertStatus(200, client(gateway).get("/hi?n=" + (1 << 20)));
            assertStatus(500, client(gateway).get("/hi?n=" + (1 << 25)));
        }
    }

    @Test
    void what_a_script_opens_or_removes_while_it_runs_is_closed_until_the_next_start() throws IOException {
        service("res.setContent('open');");
        deploy(Map.of("other/package.json", "{\"rh:interceptors\": [\"no.mjs\"]}", "other/no.mjs", """
            export const options = {name: "no", description: "refuses", pluginClass: "MongoInterceptor"};
            export const resolve = (req) => req.isPost();
            export const handle = (req, res) => res.setInError(409, "no");
            """));
        try (var lines = new LogLines();
                var gateway = start("")) {
            assertThat(client(gateway).get("/hi").body()).isEqualTo("open");
            assertStatus(409, admin(gateway).post(orders, "{}"));
            Files.delete(scripts.resolve("other/package.json"));
            var file = scripts.resolve("hi.mjs");
            Files.writeString(
                    file,
                    Files.readString(file)
                            .replace("secured: false", "secured: true")
                            .replace("'open'", "'secret'"));
            await().until(() -> lines.all().stream().anyMatch(line -> line.contains("after the next start")));
            await().untilAsserted(() -> assertStatus(404, client(gateway).get("/hi")));
            assertStatus(409, admin(gateway).post(orders, "{}"));
        }
    }

    @Test
    void a_script_that_changes_is_there_at_once_and_requests_end_with_the_one_they_began_with() throws IOException {
        mongo.database().getCollection("go").drop();
        service("""
            if (req.getQueryParameterOrDefault("slow", "")) {
              LOGGER.info("begun");
              while (mclient.getDatabase("DB").runCommand({count: "go"}).n === 0);
            }
            res.setContent("old");
            """.replace("DB", mongo.databaseName()));
        try (var all = new LogLines();
                var gateway = start(", time-limit-ms: 60000")) {
            assertThat(client(gateway).get("/hi").body()).isEqualTo("old");
            var slow = client(gateway).sendAsync("GET", "/hi?slow=1", "");
            await().until(() -> all.all().stream().anyMatch(line -> line.endsWith("begun")));
            service("res.setContent('new');");
            await().until(() -> client(gateway).get("/hi").body().equals("new"));
            assertThat(slow.isDone()).isFalse();
            mongo.database().getCollection("go").insertOne(new Document());
            assertThat(slow.join().body()).isEqualTo("old");
            try (var lines = new LogLines()) {
                service("this is no JavaScript");
                await().until(() -> lines.all().stream().anyMatch(line -> line.contains("hi.mjs:3: SyntaxError")));
            }
            assertThat(client(gateway).get("/hi").body()).isEqualTo("new");
            deploy(Map.of("package.json", "{}"));
            await().until(() -> client(gateway).get("/hi").statusCode() == 404);
        }
    }

    @Test
    void nothing_of_the_machine_can_be_reached() throws IOException {
        service("""
            const found = ["Java", "Packages", "load", "loadWithNewGlobal", "fetch", "process", "print", "console", "Polyglot", "Graal",
                           "read", "readFully", "quit", "exit", "java", "org"].filter((name) => globalThis[name] !== undefined);
            const tries = [() => require("/etc/passwd"), () => require("../outside.js"), () => require("fs"),
                           () => mclient.getClass(), () => LOGGER.info.getClass(), () => LOGGER.info.class.forName("x")];
            const done = tries.filter((attempt) => { try { attempt(); return true; } catch (e) { return false; } });
            res.setContent({found, done: done.map(String)});
            """);
        Files.writeString(scripts.resolve("../outside.js"), "module.exports = 1;");
        try (var gateway = start("")) {
            assertThat(client(gateway).get("/hi").body()).isEqualTo("{\"found\":[],\"done\":[]}");
        }
    }

    @Test
    void wrong_options_are_named_and_an_interceptor_that_cannot_be_used_ends_the_start() throws IOException {
        service("");
        var file = scripts.resolve("hi.mjs");
        Files.writeString(file, Files.readString(file).replace("\"/hi\"", "\"hi\""));
        try (var lines = new LogLines();
                var gateway = start("")) {
            assertThat(lines.all()).anyMatch(line -> line.contains("not deployed: options.uri must start with /"));
            assertThat(client(gateway).get("/hi").statusCode()).isNotEqualTo(200);
        }
        interceptor("");
        file = scripts.resolve("tag.mjs");
        Files.writeString(file, Files.readString(file).replace("REQUEST_AFTER_AUTH", "RESPONSE"));
        assertThatThrownBy(() -> start("").close())
                .isInstanceOf(StartException.class)
                .hasMessageContaining("options.interceptPoint must be one of [REQUEST_AFTER_AUTH]");
        deploy(Map.of("package.json", "{}"));
        assertThatThrownBy(() -> start(", args: '{\"hi\": 1}', threads: 0").close())
                .isInstanceOf(StartException.class)
                .hasMessageContainingAll("/scripts/args", "/scripts/threads");
    }

    @Test
    void without_scripts_nothing_of_the_engine_is_loaded() throws IOException {
        Files.delete(scripts);
        try (var gateway = start("")) {
            assertThat(client(gateway).get("/ping").statusCode()).isEqualTo(200);
            assertThat(Thread.getAllStackTraces().keySet())
                    .noneMatch(thread -> thread.getName().startsWith("plugin scripts-"));
        }
        try (var gateway = plugins.start(mongo, "")) {
            assertStatus(200, client(gateway).get("/ping"));
        }
    }

    @Test
    void the_scripts_of_the_page_do_what_it_says() throws IOException {
        var page = Files.readString(Path.of("../docs/how-to/scripts.md"));
        var files = FILE.matcher(page).results().toList();
        assertThat(files).hasSize(3);
        for (var file : files) {
            var name = Objects.requireNonNullElse(file.group(1), "package.json");
            deploy(Map.of(name, file.group(2).replace("\"restheart\"", "\"" + mongo.databaseName() + "\"")));
        }
        try (var gateway = start("")) {
            assertThat(client(gateway).get("/hi?who=Ann").body()).isEqualTo("{\"hi\":\"Ann\"}");
            var admin = admin(gateway);
            assertStatus(422, admin.post(orders, "{\"_id\": 1}"));
            assertStatus(201, admin.post(orders, "{\"_id\": 1, \"total\": 5}"));
            assertThat(mongo.database().getCollection("orders").find().first()).containsEntry("by", "web");
        }
        assertThat(Stream.of("hi?who=Ann", "total")).allMatch(page::contains);
    }
}
