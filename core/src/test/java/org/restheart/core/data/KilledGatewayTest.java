package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.chaos.GatewayChild.CREDENTIALS;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.MongoCollection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Date;
import java.util.HashSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.core.chaos.GatewayChild;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What is left by a gateway that is killed, by a signal that it cannot handle, while it does something long.
@WithMongo
@Timeout(value = 15, unit = TimeUnit.MINUTES)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KilledGatewayTest {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final int LINES = 30_000;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /// Seconds.
    private static final int LIFETIME = 3;

    /// Seconds; MongoDB's own default.
    private static final int USUAL_LIFETIME = 60;

    private final TestMongo mongo;

    @AutoClose
    private final GatewayChild gateway;

    KilledGatewayTest(TestMongo mongo, @TempDir Path folder) throws Exception {
        this.mongo = mongo;
        gateway = new GatewayChild(
                folder.resolve("gateway"),
                mongo.connectionString(),
                mongo.databaseName(),
                mongo.databaseName(),
                "imports: {db: " + mongo.databaseName() + "}\n");
    }

    @BeforeEach
    void start() throws Exception {
        collection("c").deleteMany(new Document());
        gateway.awaitStart();
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(send("PUT", "/c", "{}").statusCode()).isIn(200, 201));
    }

    private HttpResponse<String> send(String method, String target, String body) throws Exception {
        return send(method, target, "application/json", body);
    }

    private HttpResponse<String> send(String method, String target, String type, String body) throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + target))
                        .timeout(PATIENCE)
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .header("Content-Type", type)
                        .header("Authorization", CREDENTIALS)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private MongoCollection<Document> collection(String name) {
        return mongo.database().getCollection(name);
    }

    private void replaceGateway() throws Exception {
        gateway.kill();
        gateway.restart();
        gateway.awaitStart();
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> send("GET", "/c?pagesize=1", "").statusCode() == 200);
    }

    /// An import that the gateway did not survive.
    private record Interrupted(String job, int lines) {}

    /// On a busy machine it may be done before the gateway is killed: then with more lines.
    private Interrupted interruptedImport(int lines) throws Exception {
        var content = IntStream.range(0, lines)
                .mapToObj(i -> "{\"line\": " + i + ", \"text\": \"a line of the file\"}\n")
                .collect(Collectors.joining());
        var begun = send("POST", "/_imports?into=/c", "application/x-ndjson", content);
        assertStatus(202, begun);
        await().pollInterval(Duration.ofMillis(2))
                .atMost(PATIENCE)
                .until(() -> collection("c").estimatedDocumentCount() > LINES / 10);
        replaceGateway();
        if (collection("c").countDocuments() == lines) {
            assertThat(lines).as("lines that are written at once").isLessThan(100 * LINES);
            collection("c").deleteMany(new Document());
            return interruptedImport(2 * lines);
        }
        return new Interrupted(begun.headers().firstValue("Location").orElseThrow(), lines);
    }

    /// Lines without ids, so that one that is written twice is there twice.
    @Test
    void an_import_goes_on_without_loss_or_repetition() throws Exception {
        var interrupted = interruptedImport(LINES);
        var job = interrupted.job();

        assertThat(send("PATCH", job, "").statusCode())
                .as("until the lease of the dead gateway is over")
                .isEqualTo(409);
        // as if a minute had gone by
        collection("_imports").updateMany(new Document(), new Document("$set", new Document("until", new Date(0))));
        assertThat(send("GET", job, "").body()).contains("\"state\": \"interrupted\"");
        assertStatus(202, send("PATCH", job, ""));
        await().atMost(PATIENCE).until(() -> send("GET", job, "").body().contains("\"state\": \"done\""));

        assertThat(BsonDocument.parse(send("GET", job, "").body())
                        .getNumber("stored")
                        .intValue())
                .isEqualTo(interrupted.lines());
        var lines = new HashSet<Integer>();
        collection("c")
                .find()
                .forEach(document -> assertThat(lines.add(document.getInteger("line")))
                        .as("line %s once", document.getInteger("line"))
                        .isTrue());
        assertThat(lines).hasSize(interrupted.lines());
    }

    private void limitTransactions(int seconds) {
        mongo.client()
                .getDatabase("admin")
                .runCommand(new BsonDocument("setParameter", new BsonInt32(1))
                        .append("transactionLifetimeLimitSeconds", new BsonInt32(seconds)));
    }

    @Test
    void a_transaction_ends_within_the_limit_of_mongodb() throws Exception {
        collection("c").insertOne(new Document("_id", "a").append("n", 1));
        limitTransactions(LIFETIME);
        try {
            var session = send("POST", "/_sessions", "")
                    .headers()
                    .firstValue("Location")
                    .orElseThrow();
            var transactions = session.substring(session.indexOf("/_sessions")) + "/_txns";
            assertStatus(201, send("POST", transactions, ""));
            var sid = session.substring(session.lastIndexOf('/') + 1);
            assertStatus(200, send("PATCH", "/c/a?sid=" + sid + "&txn=1", "{\"n\": 2}"));
            gateway.kill();
            long killed = System.nanoTime();

            // waits for the lock
            collection("c").updateOne(new Document("_id", "a"), new Document("$set", new Document("m", 1)));

            assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(Duration.ofSeconds(USUAL_LIFETIME));
            gateway.restart();
            gateway.awaitStart();
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> send("GET", "/c?pagesize=1", "").statusCode() == 200);
            assertThat(send("GET", "/c/a", "").body()).contains("\"n\": 1", "\"m\": 1");
            assertStatus(400, send("PATCH", transactions + "/1", ""));
            assertStatus(400, send("PATCH", "/c/a?sid=" + sid + "&txn=1", "{\"n\": 3}"));
            assertStatus(201, send("POST", transactions, ""));
        } finally {
            limitTransactions(USUAL_LIFETIME);
        }
    }
}
