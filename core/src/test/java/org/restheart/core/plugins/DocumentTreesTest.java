package org.restheart.core.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.core.GatewayProcess;
import org.restheart.core.security.TestGateway;
import org.restheart.embedded.FreePort;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The trees of documents that plugins change, or that are sent as HAL, are owned before they are made.
@WithMongo
class DocumentTreesTest {
    private final TestMongo mongo;

    DocumentTreesTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    @Test
    void documents_of_very_many_values_are_refused_where_their_trees_would_take_all_memory(@TempDir Path folder)
            throws Exception {
        var nested = new Document();
        for (int depth = 0; depth < 90; depth++) {
            nested = new Document("", nested);
        }
        for (var name : List.of("orders", "plain")) {
            var collection = mongo.database().getCollection(name);
            collection.insertOne(new Document("_id", "big").append("v", Collections.nCopies(12_500, nested)));
            collection.insertOne(new Document("_id", "small"));
        }
        var plugins = new PluginFolder(folder.resolve("plugins"));
        plugins.plugin("mark", """
            public void install(Installation to) {
                to.documents(Selector.data().collections("%s/orders"),
                        (document, request) -> document.append("marked", BsonBoolean.TRUE));
            }
            """.formatted(mongo.databaseName()));
        int port = FreePort.find();
        var process = GatewayProcess.start(
                folder,
                port,
                mongo.connectionString(),
                mongo.databaseName(),
                "core: {plugins-directory: '%s'}".formatted(plugins.path()),
                "-Xmx384m");
        try {
            var client = TestClient.of(new InetSocketAddress("127.0.0.1", port)).as("bob", "bob-pw");
            await().atMost(Duration.ofMinutes(2))
                    .ignoreExceptions()
                    .until(() -> client.get("/ping").statusCode() == 200);
            for (var path : List.of("/orders%s?", "/plain%s?rep=HAL")) {
                var answers = IntStream.range(0, 12)
                        .mapToObj(i -> client.sendAsync("GET", path.formatted(i % 2 == 0 ? "/big" : ""), ""))
                        .toList();
                assertThat(answers)
                        .allSatisfy(
                                answer -> assertThat(answer.join().statusCode()).isIn(422, 503));
                var keys = TestGateway.encode("{\"v\": 0}");
                assertStatus(422, client.get(path.formatted("/big")));
                assertStatus(200, client.get(path.formatted("/big") + "&keys=" + keys));
            }
            assertThat(client.get("/orders/small").body()).contains("marked");
            assertThat(client.get("/plain/small?rep=HAL").body()).contains("\"_id\": \"small\"");
        } finally {
            process.destroyForcibly().onExit().join();
        }
    }
}
