package org.restheart.core.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.core.routing.Binding;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What classes a plugin sees.
@WithMongo
class PluginLoadingTest {
    private static final String PLUGIN = """
        public class %1$s implements Plugin {
            public String name() { return "%2$s"; }
            public void install(Installation to) {
                to.serve(_ -> Response.json(200, "{\\"is\\": \\"" + %3$s + "\\"}"), ServicePath.of("/%2$s").open());
            }
        }
        """;

    private final TestMongo mongo;
    private final PluginFolder plugins;

    PluginLoadingTest(TestMongo mongo, @TempDir Path directory) {
        this.mongo = mongo;
        this.plugins = new PluginFolder(directory.resolve("plugins"));
    }

    private static String plugin(String type, String expression) {
        return PLUGIN.formatted(type, type.toLowerCase(java.util.Locale.ROOT), expression);
    }

    private String answer(TestClient client, String path) {
        var answer = client.get(path);
        assertStatus(200, answer);
        return answer.body();
    }

    @Test
    void two_versions_of_a_library_side_by_side_in_a_jar_and_in_a_folder() {
        var library = "public class Version { public static String is() { return \"%s\"; } }";
        plugins.jar("one.jar", Map.of(), library.formatted("1.0"), plugin("One", "Version.is()"));
        plugins.with(plugins.jar("two/lib/version.jar", Map.of(), library.formatted("2.0")));
        plugins.jar("two/two.jar", Map.of(), plugin("Two", "Version.is()"));
        try (var gateway = plugins.start(mongo, "")) {
            var client = TestClient.of(gateway.address());
            assertThat(answer(client, "/one")).contains("1.0");
            assertThat(answer(client, "/two")).contains("2.0");
        }
    }

    @Test
    void what_plugins_compile_against_is_the_servers_and_nothing_else_of_it_is_seen() {
        plugins.jar("see.jar", Map.of(), plugin("See", """
            List.of("org.bson.Document", "com.mongodb.client.MongoClient", "org.slf4j.Logger",
                    "org.restheart.security.Vetoer", "org.restheart.http.access.Caller",
                    "org.restheart.core.Gateway", "org.restheart.security.jwt.Claims",
                    "org.restheart.rest.MongoService", "io.undertow.Undertow", "com.google.gson.Gson")
                .stream().filter(name -> {
                    try {
                        Class.forName(name);
                        return true;
                    } catch (ClassNotFoundException e) {
                        return false;
                    }
                }).toList()\
            """));
        try (var gateway = plugins.start(mongo, "")) {
            assertThat(answer(TestClient.of(gateway.address()), "/see"))
                    .contains("[org.bson.Document, com.mongodb.client.MongoClient, org.slf4j.Logger,"
                            + " org.restheart.security.Vetoer, org.restheart.http.access.Caller]");
        }
    }

    @Test
    void a_jar_that_brings_classes_of_the_server_gets_the_servers() throws IOException {
        var jar = plugins.jar(
                "bring.jar",
                Map.of(),
                plugin("Bring", "new BsonDocument(\"n\", new BsonInt32(1)).getInt32(\"n\").getValue()"));
        try (var files = FileSystems.newFileSystem(jar)) {
            Files.createDirectories(files.getPath("org/bson"));
            Files.writeString(files.getPath("org/bson/BsonDocument.class"), "of another version");
        }
        try (var gateway = plugins.start(mongo, "")) {
            assertThat(answer(TestClient.of(gateway.address()), "/bring")).contains("\"1\"");
        }
    }

    @Test
    void a_library_of_its_own_may_have_packages_below_those_of_the_server() {
        plugins.jar(
                "bridge.jar",
                Map.of(),
                "package org.slf4j.bridge; public class Bridge { public static String text() { return \"mine\"; } }",
                plugin("Bridged", "org.slf4j.bridge.Bridge.text()"));
        try (var gateway = plugins.start(mongo, "")) {
            assertThat(answer(TestClient.of(gateway.address()), "/bridged")).contains("mine");
        }
    }

    @Test
    void services_of_shared_libraries_are_found() throws IOException {
        var library = plugins.jar(
                "lib/greetings.jar",
                Map.of(),
                "public interface Greeting { String text(); }",
                "public class Hello implements Greeting { public String text() { return \"hello\"; } }");
        try (var files = FileSystems.newFileSystem(library)) {
            Files.createDirectories(files.getPath("META-INF/services"));
            Files.writeString(files.getPath("META-INF/services/sample.Greeting"), "sample.Hello");
        }
        plugins.with(library)
                .jar(
                        "user.jar",
                        Map.of(),
                        plugin("User", "ServiceLoader.load(Greeting.class).iterator().next().text()"));
        try (var gateway = plugins.start(mongo, "")) {
            assertThat(answer(TestClient.of(gateway.address()), "/user")).contains("hello");
        }
    }

    @Test
    void only_plugins_in_chosen_packages() {
        plugins.jar("seen.jar", Map.of(), plugin("Seen", "1"));
        try (var gateway = plugins.start(mongo, ", plugins-packages: [org.acme]", "", "")) {
            assertStatus(
                    404, TestClient.of(gateway.address()).as("admin", "secret").get("/seen"));
        }
        try (var gateway = plugins.start(mongo, ", plugins-packages: [sample]", "", "")) {
            assertStatus(200, TestClient.of(gateway.address()).get("/seen"));
        }
    }

    /// As Kubernetes mounts a ConfigMap: links into a hidden folder, which is a link, too.
    @Test
    void jars_may_be_links_into_hidden_folders() throws IOException {
        var version = plugins.path().resolve("..2026_12_01");
        plugins.jar("..2026_12_01/linked.jar", Map.of(), plugin("Linked", "\"once\""));
        var data = Files.createSymbolicLink(plugins.path().resolve("..data"), version.getFileName());
        Files.createSymbolicLink(
                plugins.path().resolve("linked.jar"), data.getFileName().resolve("linked.jar"));
        try (var gateway = plugins.start(mongo, "")) {
            assertThat(answer(TestClient.of(gateway.address()), "/linked")).contains("once");
        }
    }

    @Test
    void a_jar_without_a_plugin_is_left_alone() {
        plugins.jar("other.jar", Map.of(), "public class OfAnother { }");
        try (var gateway = plugins.start(mongo, "")) {
            assertStatus(
                    200, TestClient.of(gateway.address()).as("admin", "secret").get("/"));
        }
    }

    @Test
    void nothing_is_left_after_the_stop() {
        plugins.plugin("left", """
            public void install(Installation to) {
                to.background("beat", Duration.ofMillis(1), () -> {});
                to.serve(_ -> Response.status(204), ServicePath.of("/left").open());
                Thread.currentThread().getContextClassLoader();
                System.getProperties().put("left", new java.lang.ref.WeakReference<>(Left.class.getClassLoader()));
            }
            """);
        var loaders = new ArrayList<WeakReference<?>>();
        for (int i = 0; i < 5; i++) {
            try (var gateway = plugins.start(mongo, "")) {
                assertStatus(204, TestClient.of(gateway.address()).get("/left"));
                loaders.add((WeakReference<?>) System.getProperties().remove("left"));
            }
        }
        assertThat(loaders).hasSize(5);
        assertGone(loaders);
    }

    private static void assertGone(List<WeakReference<?>> loaders) {
        assertThat(loaders).doesNotContainNull();
        await().until(() -> {
            System.gc();
            return loaders.stream().allMatch(loader -> loader.get() == null);
        });
    }

    private Plugins installed() {
        JudgedRequests none = (_, _) -> {
            throw JudgedRequests.NOT_PERMITTED.raise();
        };
        return Plugins.install(
                plugins.config(mongo, "", "", "").plugins(),
                List.of(),
                new Plugins.Surroundings(
                        Optional.of(mongo.client()), none, new SimpleMeterRegistry(), new MemoryBudget(0)));
    }

    @Test
    void routes_that_no_plugin_names_are_the_same_objects() throws IOException {
        Service service = _ -> Response.status(204);
        var binding = Binding.prefix(service, "/quick", false);
        Files.createDirectories(plugins.path());
        try (var none = installed()) {
            assertThat(none.with(binding)).isSameAs(binding);
        }
        plugins.plugin("others", """
            public void install(Installation to) {
                to.requests(Selector.services("ping"), (request, next) -> next.handle(request));
                to.operations(Selector.data(), (request, target) -> Verdict.allow());
                to.documents(Selector.data(), (document, request) -> document);
                to.after(Selector.proxies(), done -> {});
            }
            """);
        try (var others = installed()) {
            assertThat(others.with(binding)).isSameAs(binding);
        }
    }

    /// Threads of theirs would have their loaders.
    @Test
    void nothing_is_left_of_a_hundred_installations() {
        plugins.plugin("left", """
            public void install(Installation to) {
                to.background("beat", Duration.ofMillis(1), () -> {});
                to.background("wait", Duration.ZERO, () -> Thread.sleep(Duration.ofHours(1)));
                to.meters().gauge("left_gauge", () -> 1);
                to.after(Selector.all(), done -> {});
                to.veto((request, account) -> false);
                to.provide(Runnable.class, () -> {});
                System.getProperties().put("left", new java.lang.ref.WeakReference<>(Left.class.getClassLoader()));
            }
            """);
        var loaders = new ArrayList<WeakReference<?>>();
        for (int i = 0; i < 100; i++) {
            try (var installed = installed()) {
                installed.started();
                loaders.add((WeakReference<?>) System.getProperties().remove("left"));
            }
        }
        assertGone(loaders);
    }
}
