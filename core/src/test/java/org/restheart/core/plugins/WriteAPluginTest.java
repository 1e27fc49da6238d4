package org.restheart.core.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Does what docs/how-to/write-a-plugin.md says, by the example that has the same class.
@WithMongo
class WriteAPluginTest {
    private static final Path TEST = Path.of("../examples/plugin/src/test/java/example/ShopTest.java");
    private static final Path EXAMPLE = Path.of("../examples/plugin/src/main");
    private static final Pattern CLASS = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    /// As an author has it: no jar, and no class loader of the plugin's own.
    @Test
    void the_test_of_the_guide_passes(@TempDir Path directory) throws Exception {
        var test = Files.readString(TEST);
        assertThat(Files.readString(Path.of("../docs/how-to/write-a-plugin.md")))
                .contains("```java\n" + test + "```");
        var sources = Files.createDirectories(directory.resolve("java"));
        Files.writeString(sources.resolve("ShopTest.java"), test);
        Files.copy(EXAMPLE.resolve("java/example/Shop.java"), sources.resolve("Shop.java"));
        var jar = new PluginFolder(directory.resolve("plugins"))
                .project("test.jar", sources, EXAMPLE.resolve("resources"));
        try (var loader = new URLClassLoader(new URL[] {jar.toUri().toURL()})) {
            var type = loader.loadClass("example.ShopTest").getDeclaredConstructor();
            type.setAccessible(true);
            var tests = Arrays.stream(type.getDeclaringClass().getDeclaredMethods())
                    .filter(method -> method.isAnnotationPresent(Test.class))
                    .toList();
            assertThat(tests).hasSize(1);
            for (var method : tests) {
                method.setAccessible(true);
                method.invoke(type.newInstance());
            }
        }
    }

    @Test
    void the_plugin_of_the_guide_does_what_the_guide_says(TestMongo mongo, @TempDir Path directory) throws IOException {
        var page = Files.readString(Path.of("../docs/how-to/write-a-plugin.md"));
        var source = CLASS.matcher(page);
        assertThat(source.find()).isTrue();
        var shop = Files.readString(EXAMPLE.resolve("java/example/Shop.java"));
        assertThat(source.group(1)).isEqualTo(shop);
        var copy = Files.createDirectories(directory.resolve("main/java/example"));
        Files.writeString(
                copy.resolve("Shop.java"), shop.replace("restheart/orders", mongo.databaseName() + "/orders"));
        var plugins = new PluginFolder(directory.resolve("plugins"));
        plugins.project("shop.jar", directory.resolve("main/java"), EXAMPLE.resolve("resources"));
        var printed = new ByteArrayOutputStream();
        var out = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try (var gateway = plugins.start(mongo, "shop: {greeting: Ciao}\ndataApi: {enabled: true}")) {
            var admin = TestClient.of(gateway.address()).as("admin", "secret");
            var orders = "/" + mongo.databaseName() + "/orders";
            assertThat(TestClient.of(gateway.address()).get("/hello?name=Ann").body())
                    .contains("Ciao Ann");
            admin.put("/" + mongo.databaseName(), "");
            assertStatus(201, admin.put(orders, ""));
            assertStatus(201, admin.post(orders, "{\"_id\": \"1\", \"card\": \"4000056655665556\"}"));
            assertThat(admin.get(orders + "/1").body()).contains("\"by\": \"admin\"", "\"card\": \"…5556\"");
            var refused = admin.delete(orders + "/1");
            assertStatus(409, refused);
            assertThat(refused.body()).contains("orders are not deleted");
            admin.post("/app/any/endpoint/data/v1/action/deleteOne", """
                {"dataSource": "x", "database": "%s", "collection": "orders", "filter": {"_id": "1"}}
                """.formatted(mongo.databaseName()));
            assertStatus(200, admin.get(orders + "/1"));
            assertThat(admin.delete(orders).body()).contains("orders are not deleted");
            await().until(() -> printed.toString(StandardCharsets.UTF_8).contains("new orders: ["));
        } finally {
            System.setOut(out);
        }
    }
}
