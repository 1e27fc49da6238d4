package org.restheart.core.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bson.BsonJavaScript;
import org.bson.BsonString;
import org.bson.BsonSymbol;
import org.bson.BsonValue;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.plugins.PluginSteps.ListenerQueue;
import org.restheart.core.security.LogLines;
import org.restheart.core.server.StartException;
import org.restheart.embedded.FreePort;
import org.restheart.http.Fields;
import org.restheart.http.Method;
import org.restheart.http.judged.DataWrite;
import org.restheart.plugin.CompletionListener;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.TestRequests;
import org.restheart.testkit.WithMongo;

/// What each failure of a plugin does, and what it does not.
@WithMongo
class PluginFailuresTest {
    private static final String SKIP = ", plugins-on-error: skip";

    private final TestMongo mongo;
    private final PluginFolder plugins;

    PluginFailuresTest(TestMongo mongo, @TempDir Path directory) {
        this.mongo = mongo;
        this.plugins = new PluginFolder(directory.resolve("plugins"));
    }

    /// The start fails and says why; with `skip`, what else there is works.
    private void assertRefused(String... why) {
        plugins.plugin("other", """
            public void install(Installation to) {
                to.serve(request -> Response.json(200, "{}"), ServicePath.of("/other").open());
            }
            """);
        assertThatThrownBy(() -> plugins.start(mongo, "").close())
                .isInstanceOf(StartException.class)
                .hasMessageContaining("/core/plugins-on-error")
                .satisfies(failure -> assertThat(failure.getMessage()).contains(why));
        try (var gateway = plugins.start(mongo, SKIP, "", "")) {
            assertStatus(200, TestClient.of(gateway.address()).get("/other"));
        }
    }

    @Test
    void a_jar_that_cannot_be_read() throws IOException {
        Files.createDirectories(plugins.path());
        Files.writeString(plugins.path().resolve("broken.jar"), "no jar");
        assertRefused("broken.jar", "cannot be loaded");
    }

    @Test
    void a_class_that_is_missing() throws IOException {
        var library =
                plugins.jar("lib/gone.jar", Map.of(), "public class Gone { public static int one() { return 1; } }");
        plugins.with(library).plugin("lost", "public void install(Installation to) { Gone.one(); }");
        Files.delete(library);
        assertRefused("lost.jar", "plugin lost", "NoClassDefFoundError", "Gone");
    }

    @ParameterizedTest
    @CsvSource({"mongo, a part of the gateway", "x y, is no name"})
    void a_name_that_cannot_be_used(String name, String why) {
        plugins.jar("named.jar", Map.of(), """
            public class Named implements Plugin {
                public String name() { return "%s"; }
                public void install(Installation to) {}
            }
            """.formatted(name));
        assertRefused("named.jar", name, why);
    }

    @Test
    void a_name_that_is_used_twice() {
        plugins.plugin("twin", "public void install(Installation to) {}");
        plugins.jar("zwin.jar", Map.of(), """
            public class Zwin implements Plugin {
                public String name() { return "twin"; }
                public void install(Installation to) {}
            }
            """);
        assertRefused("zwin.jar", "twin", "twin.jar");
    }

    @Test
    void plugins_that_come_after_each_other_or_after_none() {
        plugins.plugin(
                "hen",
                "public Set<String> after() { return Set.of(\"egg\"); } public void install(Installation to) {}");
        plugins.plugin(
                "egg",
                "public Set<String> after() { return Set.of(\"hen\"); } public void install(Installation to) {}");
        assertRefused("egg.jar", "plugin egg comes after hen");
    }

    @Test
    void a_plugin_that_comes_after_one_that_is_not_there() {
        plugins.plugin(
                "hen",
                "public Set<String> after() { return Set.of(\"egg\"); } public void install(Installation to) {}");
        assertRefused("hen.jar", "plugin hen comes after egg, which is not there");
    }

    @Test
    void a_constructor_that_fails() {
        plugins.plugin(
                "born",
                "public Born() { throw new IllegalStateException(\"late\"); } public void install(Installation to) {}");
        assertRefused("born.jar", "cannot be loaded", "late");
    }

    @Test
    void an_installation_that_fails_leaves_nothing() throws IOException {
        int port = FreePort.find();
        plugins.plugin("half", """
            java.net.ServerSocket socket;
            public void install(Installation to) throws Exception {
                socket = new java.net.ServerSocket(%d);
                to.serve(request -> Response.status(204), ServicePath.of("/half").open());
                throw new java.io.IOException("no queue there");
            }
            public void close() throws Exception { socket.close(); }
            """.formatted(port));
        assertRefused("half.jar", "plugin half", "no queue there");
        try (var gateway = plugins.start(mongo, SKIP, "", "");
                var again = new ServerSocket(port)) {
            assertThat(again.isBound()).isTrue();
            assertStatus(
                    404, TestClient.of(gateway.address()).as("admin", "secret").get("/half"));
        }
    }

    @Test
    void settings_that_cannot_be_used_are_all_named() {
        plugins.plugin("set", """
            public void install(Installation to) {
                to.settings().integer("size", 1, 1, 9);
                to.settings().block("mail").bool("tls", true);
                to.settings().refuse("url", "must be a URL");
            }
            """);
        assertThatThrownBy(() ->
                        plugins.start(mongo, "set: {size: 10, mail: {tls: si}}").close())
                .isInstanceOf(StartException.class)
                .hasMessageContainingAll(
                        "/set/size must be a whole number from 1 to 9",
                        "/set/mail/tls must be true or false",
                        "/set/url must be a URL");
    }

    @Test
    void a_plugin_that_is_off_by_default_and_cannot_be_switched_on() {
        plugins.plugin("off", """
            public boolean enabledByDefault() { return false; }
            public void install(Installation to) {}
            """);
        assertThatThrownBy(() -> plugins.start(mongo, "off: {enabled: yes}").close())
                .isInstanceOf(StartException.class)
                .hasMessageContaining("/off/enabled must be true or false");
    }

    @Test
    void a_jar_for_another_version_of_the_api() {
        plugins.jar("next.jar", Map.of("RESTHeart-Plugin-API", "2"), """
            public class Next implements Plugin {
                public String name() { return "next"; }
                public void install(Installation to) {}
            }
            """);
        assertRefused("next.jar", "version 2");
    }

    @Test
    void a_path_that_is_taken() {
        plugins.plugin(
                "ping2",
                "public void install(Installation to) { to.serve(_ -> Response.status(204),"
                        + " ServicePath.of(\"/ping\")); }");
        assertThatThrownBy(() -> plugins.start(mongo, "").close())
                .isInstanceOf(StartException.class)
                .hasMessageContainingAll("ping2", "/ping", "uri", "enabled");
        try (var gateway = plugins.start(mongo, "ping: {enabled: false}")) {
            assertStatus(
                    204, TestClient.of(gateway.address()).as("admin", "secret").get("/ping"));
        }
    }

    @Test
    void a_start_that_fails_is_logged_only() {
        plugins.plugin("late", """
            public void install(Installation to) { to.serve(_ -> Response.status(204), ServicePath.of("/late").open()); }
            public void started() { throw new IllegalStateException("late"); }
            public void close() { throw new IllegalStateException("never mind"); }
            """);
        try (var gateway = plugins.start(mongo, "")) {
            assertStatus(204, TestClient.of(gateway.address()).get("/late"));
        }
    }

    @Test
    void threads_that_do_not_end_are_waited_for_together() throws InterruptedException {
        var bound = Duration.ofMillis(200);
        var isOver = new Semaphore(0);
        var threads = IntStream.range(0, 50)
                .mapToObj(_ -> Thread.startVirtualThread(isOver::acquireUninterruptibly))
                .toList();
        long began = System.nanoTime();
        Plugins.awaitEnd(threads, bound);
        assertThat(System.nanoTime() - began).isLessThan(threads.size() * bound.toNanos());
        assertThat(threads).allMatch(Thread::isAlive);
        isOver.release(threads.size());
        for (var thread : threads) {
            thread.join();
        }
    }

    @Test
    void a_plugin_is_closed_after_those_that_have_its_objects_and_its_tasks_have_ended() {
        plugins.with(plugins.jar("lib/order.jar", Map.of(), """
            public class Order { public static final List<String> ENDS = new CopyOnWriteArrayList<>(); }
            """));
        plugins.plugin("base", """
            public void install(Installation to) {
                to.background("loop", Duration.ofMillis(1), () -> {
                    try { Thread.sleep(Duration.ofHours(1)); } finally { Order.ENDS.add("task"); }
                });
            }
            public void close() {
                Order.ENDS.add("base");
                System.getProperties().put("ends", "" + Order.ENDS);
            }
            """);
        plugins.plugin("user", """
            public Set<String> after() { return Set.of("base"); }
            public void install(Installation to) {}
            public void close() throws Exception { Thread.sleep(50); Order.ENDS.add("user"); }
            """);
        plugins.start(mongo, "").close();
        assertThat(System.getProperties().remove("ends")).isEqualTo("[task, user, base]");
    }

    @ParameterizedTest
    @CsvSource({
        "throw new IllegalStateException(\"secret detail\");",
        "return null;",
        "throw new NoClassDefFoundError(\"secret detail\");",
        "throw new StackOverflowError();"
    })
    void an_endpoint_that_fails_is_500_and_others_work(String body) {
        plugins.plugin(
                "bad",
                "public void install(Installation to) { to.serve(request -> { if (request.query().has(\"bad\")) { %s } return Response.status(204); }, ServicePath.of(\"/bad\").open()); }"
                        .formatted(body));
        try (var gateway = plugins.start(mongo, "")) {
            var client = TestClient.of(gateway.address());
            for (int i = 0; i < 20; i++) {
                var failed = client.get("/bad?bad");
                assertStatus(500, failed);
                assertThat(failed.body()).contains("see log").doesNotContain("secret", "sample", "Exception", "Error:");
                assertStatus(204, client.get("/bad"));
                assertStatus(200, client.as("admin", "secret").get("/"));
            }
        }
    }

    /// The head of a stream is sent before it fails: the response is cut.
    @Test
    void answers_that_fail_later_are_500_or_cut_and_counted() {
        plugins.plugin("late", """
            public void install(Installation to) {
                to.serve(request -> switch (request.query().first("how").orElse("")) {
                    case "fails" -> Response.later(CompletableFuture.failedFuture(new java.io.IOException("secret")), _ -> Response.status(200));
                    case "throws" -> Response.later(CompletableFuture.completedFuture(1), _ -> { throw new IllegalStateException("secret"); });
                    case "null" -> Response.later(CompletableFuture.completedFuture(1), _ -> null);
                    case "problem" -> Response.later(CompletableFuture.supplyAsync(() -> { throw Problem.of(ProblemCode.CONFLICT, "twice").raise(); }), _ -> Response.status(200));
                    default -> stream(request);
                }, ServicePath.of("/late").open());
                to.requests(Selector.services("ping").when(request -> request.query().has("how")), (request, next) -> stream(request));
            }
            static Response.Ready stream(Request request) {
                var how = request.query().first("how").orElse("");
                return Response.status(200).with(new Content.Streamed(new Content.Source() {
                    public java.nio.ByteBuffer next() throws Exception {
                        if (how.equals("breaks")) throw new java.io.IOException("secret");
                        return how.equals("ends") ? java.nio.ByteBuffer.allocate(0) : null;
                    }
                    public void close() { if (how.equals("ends")) throw new IllegalStateException("secret"); }
                }, 100, request.lease()));
            }
            """);
        try (var log = new LogLines();
                var gateway = plugins.start(mongo, "ping: {enabled: true}")) {
            var client = TestClient.of(gateway.address());
            for (var how : List.of("fails", "throws", "null")) {
                var answer = client.get("/late?how=" + how);
                assertStatus(500, answer);
                assertThat(answer.body()).doesNotContain("secret", "Exception");
            }
            assertStatus(409, client.get("/late?how=problem"));
            assertStatus(200, client.get("/late?how=ends"));
            for (var path : List.of("/late?how=breaks", "/late?how=nothing", "/ping?how=breaks")) {
                assertThatThrownBy(() -> client.get(path)).hasRootCauseInstanceOf(IOException.class);
            }
            var metrics = client.as("admin", "secret").get("/metrics/plugins").body();
            assertThat(metrics).contains("plugin_failures_total{component=\"service\",plugin=\"late\"} 3.0");
            assertThat(metrics).containsPattern("plugin_failures_total\\{component=\"stream\",plugin=\"late\"} [4-9]");
            assertThat(log.all()).anyMatch(line -> line.contains("a streamed response failed"));
        }
    }

    @Test
    void failures_of_every_kind_under_load_are_those_of_their_requests() {
        plugins.plugin("bad", """
            static IllegalStateException bug() { return new IllegalStateException("secret"); }
            public void install(Installation to) {
                var released = new CountDownLatch(1);
                to.serve(request -> {
                    if (request.query().has("fails")) throw bug();
                    if (request.query().has("null")) return null;
                    if (request.query().has("links")) throw new NoClassDefFoundError("secret");
                    if (request.query().has("hangs")) {
                        try { released.await(); } catch (InterruptedException e) { throw new IllegalStateException(e); }
                    }
                    if (request.query().has("release")) released.countDown();
                    return Response.status(204);
                }, ServicePath.of("/bad").open());
                to.requests(Selector.data().when(request -> { if (request.query().has("selector")) throw bug(); return request.query().has("interceptor"); }),
                        (request, next) -> { throw bug(); });
                to.requests(Selector.data().when(request -> request.query().has("silent")), (request, next) -> null);
                to.requests(Selector.data().when(request -> request.query().has("linked")), (request, next) -> { throw new NoClassDefFoundError("secret"); });
                to.operations(Selector.data().when(request -> request.query().has("operation")), (request, target) -> null);
                to.documents(Selector.data().when(request -> request.query().has("transform")), (document, request) -> { throw bug(); });
                to.documents(Selector.data().when(request -> request.query().has("nothing")), (document, request) -> null);
                to.allow((request, account) -> { throw bug(); });
                to.logField("bug", (request, answered) -> { throw bug(); });
                to.veto((request, account) -> { if (request.query().has("veto")) throw bug(); return false; });
                to.authenticator(new Authenticator() {
                    public Authentication authenticate(Request request) {
                        if (request.headers().has("X-Bug")) throw bug();
                        return Authentication.ABSENT;
                    }
                    public List<String> credentialHeaders() { return List.of("X-Bug"); }
                });
                to.after(Selector.data(), done -> { throw bug(); });
                to.background("loop", Duration.ofMillis(1), () -> { throw bug(); });
            }
            """);
        var orders = "/" + mongo.databaseName() + "/orders";
        mongo.database().getCollection("orders").drop();
        mongo.database().getCollection("orders").insertOne(new Document("_id", 1));
        var expected = new HashMap<String, Integer>();
        List.of("/bad?fails", "/bad?null", "/bad?links").forEach(path -> expected.put(path, 500));
        List.of("selector", "interceptor", "silent", "linked", "operation", "transform", "nothing")
                .forEach(name -> expected.put(orders + "?" + name, 500));
        expected.putAll(Map.of("/bad", 204, orders, 200, orders + "?veto", 403));
        try (var log = new LogLines();
                var gateway = plugins.start(mongo, "")) {
            var stranger = TestClient.of(gateway.address()).with("X-Bug", "1");
            var admin = TestClient.of(gateway.address()).as("admin", "secret");
            var ann = TestClient.of(gateway.address()).as("ann", "secret");
            var hanging = IntStream.range(0, 100)
                    .mapToObj(_ -> admin.sendAsync("GET", "/bad?hangs", ""))
                    .toList();
            for (int round = 0; round < 30; round++) {
                var answers = new HashMap<String, CompletableFuture<HttpResponse<String>>>();
                expected.keySet().forEach(path -> answers.put(path, admin.sendAsync("GET", path, "")));
                var unknown = stranger.sendAsync("GET", orders, "");
                var unruled = ann.sendAsync("GET", orders, "");
                expected.forEach((path, status) -> {
                    var answer = answers.get(path).join();
                    assertStatus(status, answer);
                    assertThat(answer.body()).doesNotContain("secret", "sample", "Exception");
                });
                assertStatus(503, unknown.join());
                assertStatus(403, unruled.join());
            }
            assertThat(hanging).noneMatch(CompletableFuture::isDone);
            assertStatus(204, admin.get("/bad?release"));
            hanging.forEach(answer -> assertStatus(204, answer.join()));
            await().untilAsserted(() -> assertThat(admin.get("/metrics/plugins").body())
                    .contains(Stream.of(
                                    "authenticator",
                                    "interceptor",
                                    "listener",
                                    "selector",
                                    "service",
                                    "task loop",
                                    "transform",
                                    "veto",
                                    "access rule",
                                    "log field")
                            .map("plugin_failures_total{component=\"%s\",plugin=\"bad\"}"::formatted)
                            .toList()));
            assertThat(log.all())
                    .filteredOn(line -> line.startsWith("ERROR the ") && line.endsWith(" of plugin bad failed"))
                    .hasSizeBetween(1, 3); // in as many minutes
        }
    }

    @Test
    void of_a_hundred_thousand_requests_few_wait_for_a_listener_that_is_stuck() throws InterruptedException {
        var registry = new SimpleMeterRegistry();
        var isOver = new Semaphore(0);
        var heard = new AtomicInteger();
        var queue = new ListenerQueue(new PluginCalls("stuck", getClass().getClassLoader(), registry), _ -> {
            isOver.acquire();
            heard.incrementAndGet();
        });
        var what = completed(Optional.empty());
        IntStream.range(0, 100_000).forEach(_ -> queue.offer(what));
        int dropped = (int) registry.get("plugin_dropped").counter().count();
        assertThat(dropped).isBetween(89_999, 90_000);
        isOver.release(100_000);
        var worker = queue.worker();
        if (worker != null) {
            worker.join();
        }
        assertThat(heard).hasValue(100_000 - dropped);
    }

    static Stream<BsonValue> large_ids_that_wait_for_a_listener_are_bounded_in_bytes() {
        var text = "x".repeat(1 << 20);
        return Stream.of(new BsonString(text), new BsonJavaScript(text), new BsonSymbol(text));
    }

    @ParameterizedTest
    @MethodSource
    void large_ids_that_wait_for_a_listener_are_bounded_in_bytes(BsonValue id) throws InterruptedException {
        var registry = new SimpleMeterRegistry();
        var isOver = new Semaphore(0);
        var queue = new ListenerQueue(
                new PluginCalls("stuck", getClass().getClassLoader(), registry), _ -> isOver.acquire());
        var report = DataWrite.Report.inserted(List.of(id), List.of());
        IntStream.range(0, 100).forEach(_ -> queue.offer(completed(Optional.of(report))));
        assertThat(registry.get("plugin_dropped").counter().count()).isGreaterThan(80);
        isOver.release(100);
        var worker = queue.worker();
        if (worker != null) {
            worker.join();
        }
    }

    private static CompletionListener.Completed completed(Optional<DataWrite.Report> report) {
        var request = TestRequests.request(Method.GET, "/");
        return new CompletionListener.Completed(
                request.id(),
                request.method(),
                request.path(),
                request.caller(),
                Optional.empty(),
                200,
                Fields.NONE,
                OptionalLong.empty(),
                Duration.ZERO,
                report);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a%20b", "a:b", "a%0Ab", "%C4%8A"})
    void a_header_field_with_a_name_that_would_be_more_than_a_name_is_500(String name) {
        plugins.plugin("fields", """
            public void install(Installation to) {
                to.serve(request -> Response.status(204).with(request.query().first("name").orElse(""), "x"), ServicePath.of("/fields").open());
            }
            """);
        try (var gateway = plugins.start(mongo, "")) {
            var client = TestClient.of(gateway.address());
            assertStatus(500, client.get("/fields?name=" + name));
            assertStatus(204, client.get("/fields?name=X-Name"));
        }
    }

    @Test
    void a_problem_that_an_endpoint_raises_is_its_answer() {
        plugins.plugin(
                "teapot",
                "public void install(Installation to) { to.serve(request -> { throw Problem.of(ProblemCode.CONFLICT,"
                        + " \"twice\").raise(); }, ServicePath.of(\"/tea\").open()); }");
        try (var gateway = plugins.start(mongo, "")) {
            var answer = TestClient.of(gateway.address()).get("/tea");
            assertStatus(409, answer);
            assertThat(answer.body()).contains("twice");
        }
    }
}
