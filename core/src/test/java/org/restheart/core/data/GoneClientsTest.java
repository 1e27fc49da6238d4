package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.ClientSession;
import com.mongodb.client.model.Filters;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Clients that disconnect while their requests wait for a command. An open transaction that has written an id
/// blocks the command that inserts the same id.
@WithMongo
class GoneClientsTest {
    private static final String CREDENTIALS = "Authorization: Basic "
            + Base64.getEncoder().encodeToString("admin:secret".getBytes(StandardCharsets.UTF_8));
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final TestMongo mongo;
    private final ConformanceGateway gateway;
    private final List<Client> clients = new ArrayList<>();

    GoneClientsTest(TestMongo mongo) {
        this.mongo = mongo;
        this.gateway = ConformanceGateway.start(withoutRetries(mongo.connectionString()), """
                mongo: {mongo-mounts: [{what: '*', where: /}], coalescing: {concurrent-commands: 1, max-wait: 60000, header: true}}
                dataApi: {enabled: true}
                """);
        mongo.database().drop();
        mongo.database().createCollection("c");
    }

    /// Without retryable writes, inserts wait without a limit.
    private static String withoutRetries(String uri) {
        return uri + (uri.contains("?") ? "&" : uri.matches("mongodb://[^/]+") ? "/?" : "?") + "retryWrites=false";
    }

    @AfterEach
    void stop() throws IOException {
        for (var client : clients) {
            client.socket.close();
        }
        gateway.close();
    }

    /// A connection, byte by byte.
    private final class Client {
        private final Socket socket = new Socket("127.0.0.1", gateway.port());
        private final BufferedReader in =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));

        Client() throws IOException {
            socket.setSoTimeout((int) TIMEOUT.toMillis());
            clients.add(this);
        }

        Client post(String json) throws IOException {
            return send("POST /" + mongo.databaseName() + "/c", json);
        }

        Client send(String methodAndTarget, String content) throws IOException {
            var request = methodAndTarget + " HTTP/1.1\r\nHost: test\r\n" + CREDENTIALS + "\r\nContent-Length: "
                    + content.length() + "\r\n\r\n" + content;
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            return this;
        }

        /// The status line and the headers; the content is left out.
        List<String> answer() throws IOException {
            var head = new ArrayList<String>();
            int length = 0;
            for (var line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
                head.add(line);
                if (line.startsWith("Content-Length: ")) {
                    length = Integer.parseInt(line.substring(16));
                }
            }
            while (length > 0) {
                length -= (int) in.skip(length);
            }
            return head;
        }

        void assertAnswered(int status) throws IOException {
            assertThat(answer().getFirst()).startsWith("HTTP/1.1 " + status + " ");
        }
    }

    private ClientSession holding(String id) {
        var session = mongo.client().startSession();
        session.startTransaction();
        mongo.database().getCollection("c").insertOne(session, new Document("_id", id));
        return session;
    }

    /// Waits until MongoDB works on the gateway's insert.
    private void awaitCommand() {
        var mine = "{ns: '" + mongo.databaseName() + ".c', 'command.insert': 'c', active: true}";
        await().atMost(TIMEOUT)
                .until(() -> !TestMongo.operations(mongo.client(), mine).isEmpty());
    }

    private String metrics(String registry) throws IOException, InterruptedException {
        try (var http = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + gateway.port() + "/metrics/" + registry))
                    .header("Authorization", CREDENTIALS.substring("Authorization: ".length()))
                    .build();
            return http.send(request, BodyHandlers.ofString()).body();
        }
    }

    private void awaitAbandoned(String kind, int count) {
        await().atMost(TIMEOUT)
                .until(() -> metrics("coalescing")
                        .contains("coalescing_abandoned_total{kind=\"" + kind + "\"} " + count + ".0"));
    }

    private boolean isStored(String id) {
        return mongo.database().getCollection("c").countDocuments(Filters.eq("_id", id)) == 1;
    }

    @Test
    void an_insert_whose_client_has_gone_does_not_leave_and_its_neighbours_do() throws Exception {
        try (var transaction = holding("held")) {
            var held = new Client().post("{\"_id\": \"held\"}");
            awaitCommand();
            var before = new Client().post("{\"_id\": \"before\"}");
            new Client().post("{\"_id\": \"left\"}").socket.close();
            var half = new Client().post("{\"_id\": \"half\"}");
            half.socket.shutdownOutput();
            var after = new Client().post("{\"_id\": \"after\"}");
            awaitAbandoned("insert", 2);
            transaction.abortTransaction();
            held.assertAnswered(201);
            before.assertAnswered(201);
            after.assertAnswered(201);
        }
        assertThat(isStored("held")).isTrue();
        assertThat(isStored("before")).isTrue();
        assertThat(isStored("after")).isTrue();
        assertThat(isStored("left")).isFalse();
        assertThat(isStored("half")).isFalse();
    }

    private Client act(String id) throws IOException {
        return new Client()
                .send(
                        "POST /app/x/endpoint/data/v1/action/insertOne",
                        "{\"dataSource\": \"x\", \"database\": \"%s\", \"collection\": \"c\", \"document\": {\"_id\": \"%s\"}}"
                                .formatted(mongo.databaseName(), id));
    }

    @Test
    void an_insert_by_the_data_api_whose_client_has_gone_does_not_leave() throws Exception {
        try (var transaction = holding("held")) {
            var held = new Client().post("{\"_id\": \"held\"}");
            awaitCommand();
            var before = act("before");
            act("left").socket.close();
            awaitAbandoned("insert", 1);
            transaction.abortTransaction();
            held.assertAnswered(201);
            before.assertAnswered(201);
        }
        assertThat(isStored("before")).isTrue();
        assertThat(isStored("left")).isFalse();
    }

    @Test
    void an_insert_under_way_stays_when_its_client_goes() throws Exception {
        try (var transaction = holding("held")) {
            var held = new Client().post("{\"_id\": \"held\"}");
            awaitCommand();
            new Client().post("{\"_id\": \"left\"}").socket.close();
            held.socket.close();
            awaitAbandoned("insert", 1);
            transaction.abortTransaction();
        }
        await().atMost(TIMEOUT).until(() -> isStored("held"));
        assertThat(isStored("left")).isFalse();
    }

    @Test
    void a_request_behind_one_that_waits_is_not_lost() throws Exception {
        try (var transaction = holding("held")) {
            var held = new Client().post("{\"_id\": \"held\"}");
            awaitCommand();
            var patient = new Client().post("{\"_id\": \"first\"}");
            patient.send("GET /ping", "");
            new Client().post("{\"_id\": \"left\"}").socket.close(); // looked at when the others are, or later
            awaitAbandoned("insert", 1);
            patient.send("GET /ping", "");
            transaction.abortTransaction();
            held.assertAnswered(201);
            patient.assertAnswered(201);
            patient.assertAnswered(200);
            patient.assertAnswered(200);
        }
    }

    @Test
    void arrays_that_wait_leave_together_with_an_answer_each() throws Exception {
        mongo.database().getCollection("c").insertOne(new Document("_id", "taken"));
        try (var transaction = holding("held")) {
            var held = new Client().post("[{\"_id\": \"held\"}]");
            awaitCommand();
            var good = new Client().post("[{\"_id\": 1}, {\"_id\": 2}]");
            var partly = new Client().post("[{\"_id\": 3}, {\"_id\": \"taken\"}, {\"_id\": 4}]");
            new Client().post("[{\"_id\": \"left\"}]").socket.close();
            awaitAbandoned("bulk_insert", 1);
            await().atMost(TIMEOUT) // three that wait, and the one that asks
                    .until(() -> metrics("gateway").contains("gateway_requests_in_flight 4.0"));
            transaction.abortTransaction();
            held.assertAnswered(200);
            assertThat(good.answer())
                    .contains("X-Coalesced: 2")
                    .first()
                    .asString()
                    .contains(" 200 ");
            assertThat(partly.answer())
                    .contains("X-Coalesced: 2")
                    .first()
                    .asString()
                    .contains(" 207 ");
        }
        assertThat(mongo.database().getCollection("c").countDocuments()).isEqualTo(6);
        assertThat(isStored("left")).isFalse();
    }
}
