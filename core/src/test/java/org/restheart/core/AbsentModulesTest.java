package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.Document;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Gateways whose class paths lack the jars of modules.
@WithMongo
@Timeout(180)
class AbsentModulesTest {
    /// A class of each, and the path of its service.
    private static final Map<String, List<String>> MODULES = Map.of(
            "console", List.of("org.restheart.console.BrowserPages", "/_console/"),
            "dataapi", List.of("org.restheart.dataapi.DataApiService", "/app"),
            "graphql", List.of("org.restheart.graphql.GraphqlService", "/graphql"),
            "mcp", List.of("org.restheart.mcp.McpService", "/_mcp"),
            "openapi", List.of("org.restheart.openapi.OpenApiService", "/_openapi"));

    private static TestMongo mongo;

    @TempDir
    private Path folder;

    @BeforeAll
    static void use(TestMongo deployment) {
        mongo = deployment;
    }

    private Process start(Set<String> absent, String more) throws Exception {
        var configuration = Files.writeString(
                folder.resolve("restheart.yml"), """
            http-listener: {host: 127.0.0.1, port: 0}
            mclient: {connection-string: '%s'}
            mongo: {mongo-mounts: [{what: /%s, where: /}]}
            basicAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}
            fileRealmAuthenticator: {enabled: true, users: [{userid: bob, password: bob-pw, roles: [admin]}]}
            fullAuthorizer: {enabled: true, authentication-required: true}
            metrics: {enabled: true}
            """.formatted(mongo.connectionString(), mongo.databaseName()) + more);
        var jars = new HashSet<Path>();
        for (var module : absent) {
            var code = Class.forName(MODULES.get(module).getFirst())
                    .getProtectionDomain()
                    .getCodeSource();
            jars.add(Path.of(code.getLocation().toURI()));
        }
        var classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !jars.contains(Path.of(entry).toAbsolutePath()))
                .collect(Collectors.joining(File.pathSeparator));
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Djava.io.tmpdir=" + folder,
                        "-cp",
                        classPath,
                        Main.class.getName(),
                        configuration.toString())
                .redirectErrorStream(true)
                .start();
    }

    static Stream<Set<String>> absent() {
        return Stream.concat(
                Stream.of(MODULES.keySet()), MODULES.keySet().stream().map(Set::of));
    }

    @ParameterizedTest
    @MethodSource("absent")
    void data_are_served_without(Set<String> modules) throws Exception {
        var collection = mongo.client().getDatabase(mongo.databaseName()).getCollection("c");
        collection.drop();
        collection.insertOne(new Document("_id", "a").append("n", 1));
        var process = start(
                modules,
                Stream.of("dataApi", "mcp")
                        .filter(block -> !modules.contains(block.toLowerCase(Locale.ROOT)))
                        .map(block -> block + ": {enabled: true}\n")
                        .collect(Collectors.joining()));
        try (var output = process.inputReader()) {
            var client = TestClient.of(MainTest.ready(output).getPort()).as("bob", "bob-pw");
            assertStatus(200, client.get("/ping"));
            assertStatus(200, client.get("/metrics"));
            assertStatus(200, client.patch("/c/a", "{\"n\": 2}"));
            assertThat(Document.parse(client.get("/c/a").body())).containsEntry("n", 2);
            for (var module : MODULES.entrySet()) {
                var body = client.get(module.getValue().getLast()).body();
                assertThat(body.contains("has no restheart-" + module.getKey() + ".jar. As data: "))
                        .as(body)
                        .isEqualTo(modules.contains(module.getKey()));
            }
        } finally {
            process.destroyForcibly().onExit().join();
        }
    }

    @Test
    void what_is_asked_for_without_its_jar_ends_the_start() throws Exception {
        var process = start(MODULES.keySet(), "console: {enabled: true}\nmcp: {enabled: true}\n");
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isEqualTo(255);
        assertThat(output)
                .contains("/console/enabled is true, but the class path has no restheart-console.jar")
                .contains("/mcp/enabled is true, but the class path has no restheart-mcp.jar");
    }
}
