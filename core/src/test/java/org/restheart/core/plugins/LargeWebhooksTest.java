package org.restheart.core.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.core.GatewayProcess;
import org.restheart.embedded.FreePort;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Large documents of several webhooks at a time, in a gateway with little memory.
@WithMongo
class LargeWebhooksTest {
    private final TestMongo mongo;

    LargeWebhooksTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    @Test
    void large_documents_of_several_webhooks_end_nothing(@TempDir Path folder) throws Exception {
        var plugins = new PluginFolder(folder.resolve("plugins"));
        var sources = Path.of("../webhooks/src/main");
        plugins.project("webhooks.jar", sources.resolve("java"), sources.resolve("resources"));
        var name = mongo.databaseName();
        var more = """
            core: {plugins-directory: %s}
            webhooks: {db: %s, hooks: [one, two, three], one: &hook {collection: %s/hooked, url: 'http://127.0.0.1:1/',
              document: true, attempts: 1, pause-ms: 10, secret: a secret of which nobody knows}, two: *hook, three: *hook}
            """.formatted(folder.resolve("plugins"), name, name);
        int port = FreePort.find();
        var database = mongo.database();
        database.createCollection("hooked");
        var process = GatewayProcess.start(
                folder,
                port,
                mongo.connectionString(),
                name,
                more,
                "-Xmx256m",
                "-XX:+UseG1GC",
                "-XX:TieredStopAtLevel=4"); // hundreds of megabytes are escaped and signed
        try {
            var followed = Document.parse("{token: {$exists: true}}");
            Patience.within(Duration.ofMinutes(1))
                    .until(() -> !process.isAlive()
                            || database.getCollection("_webhooks").countDocuments(followed) == 3);
            var hooked = database.getCollection("hooked");
            hooked.insertOne(new Document("_id", "many").append("a", Collections.nCopies(900_000, new Document())));
            hooked.insertOne(new Document("_id", "plain").append("t", "x".repeat(15 << 20)));
            hooked.insertOne(new Document("_id", "escaped").append("t", "\u007f".repeat(15 << 20)));
            var failures = database.getCollection("_webhookFailures");
            Patience.within(Duration.ofMinutes(2))
                    .until(() -> !process.isAlive() || failures.countDocuments() == 3 * 3);
            assertThat(process.isAlive())
                    .as(Files.readString(folder.resolve("log")))
                    .isTrue();
            assertThat(failures.distinct("why", String.class)).contains("ConnectException");
            assertThat(failures.find())
                    .allMatch(failure -> failure.containsKey("event") != failure.containsKey("eventAbsent"));
            assertThat(TestClient.of(port).get("/ping").statusCode()).isEqualTo(200);
            assertThat(Files.readAllLines(folder.resolve("log")).stream()
                            .filter(line -> line.contains("waits for memory")))
                    .as("a document has no place beside another one: each hook says so once")
                    .hasSizeBetween(1, 3);
        } finally {
            process.destroyForcibly().onExit().join();
        }
    }
}
